"""The world every transcript begins in: a data directory with two depots, made once and copied."""

import pathlib
import shutil
import subprocess
import tempfile

from ways import CLEAN, LegacyHttp, LegacyStdio, ModernHttp, ModernStdio, Server

SITE = {
    "README.md": "# Site\n\nSay hello to the needle.\n",
    "docs/guide.md": "# Guide\n\n1. Read.\n2. Write.\n3. Commit.\n",
    "docs/logo.png": bytes.fromhex("89504e470d0a1a0a0000000d49484452"),
    "src/app.ts": "import { greet } from './lib/greet';\n\ngreet('hello');\ngreet('again');\n",
    "src/lib/greet.ts": "export function greet(word: string) {\n  console.log(word);\n}\n",
    "src/lib/old.ts": "// nobody needs this\n",
    "src/grüße 100%.txt": "ein Gruß\n",
}
NOTES = {
    "todo.txt": "one\ntwo\nthree\n",
    "shop.json": '{\n  "orders": [\n    {"id": 1, "total": 1.50},\n    {"id": 2, "total": 80}\n  ],'
                 '\n  "prices": {"tea": 2.00, "coffee": 3}\n}\n',
}


class World:
    """Where transcripts begin. Each gets a copy of its own."""

    def __init__(self, cairn):
        self.cairn = cairn
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cairn-world-"))
        self.data = self.dir / "data"
        for title, files in (("site", SITE), ("notes", NOTES)):
            for path, content in files.items():
                file = self.dir / title / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content if isinstance(content, bytes) else content.encode())
            self.run("import", str(self.dir / title), title, "-m", f"Begin {title}")
        (self.dir / "site" / "empty").mkdir()
        self.run("import", str(self.dir / "site"), "site", "-m", "An empty directory")

    def run(self, *words):
        subprocess.run([self.cairn, *words, "--data", str(self.data)], env=CLEAN, check=True,
                       capture_output=True)

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def copy(self, to):
        shutil.copytree(self.data, to, dirs_exist_ok=True)


class OnHttp:
    """A copy of the world behind a server."""

    def __init__(self, world, way):
        self.way, self.name, self.era = way, way.name, way.era
        self.server = Server(world.cairn)
        world.copy(self.server.data)
        self.server.start()
        self.callers = {}

    def caller(self, token=None, selection=None, fresh=False):
        key = (token, tuple((selection or {}).items()))
        if fresh or key not in self.callers:
            self.callers[key] = self.way(self.server, token, selection)
        return self.callers[key]

    def close(self):
        for caller in self.callers.values():
            caller.close()
        code = self.server.stop()
        shutil.rmtree(self.server.data, ignore_errors=True)
        return code


class OnStdio:
    """A copy of the world for one process at a time, which opens it."""

    def __init__(self, world, way):
        self.way, self.name, self.era = way, way.name, way.era
        self.cairn = world.cairn
        self.data = tempfile.mkdtemp(prefix="cairn-test-")
        world.copy(self.data)
        self.key = self.open = None

    def caller(self, token=None, selection=None, fresh=False):
        key = (token, tuple((selection or {}).items()))
        if fresh or self.key != key or self.open is None:
            self.leave()
            self.key, self.open = key, self.way(self.cairn, self.data, token, selection)
        return self.open

    def leave(self):
        code = self.open.close() if self.open else 0
        self.open = None
        return code

    def close(self):
        code = self.leave()
        shutil.rmtree(self.data, ignore_errors=True)
        return code


class OnBridge(OnStdio):
    """The same while a server has it open: every process goes through that."""

    def __init__(self, world, way):
        super().__init__(world, way)
        self.name += ", through a server"
        self.server = Server(world.cairn)
        shutil.rmtree(self.server.data)
        self.server.data = self.data
        self.server.start()

    def close(self):
        code = self.leave()
        return code or self.server.stop() or super().close()


HTTP_WAYS = [(OnHttp, ModernHttp), (OnHttp, LegacyHttp)]
STDIO_WAYS = [(OnStdio, LegacyStdio), (OnStdio, ModernStdio), (OnBridge, LegacyStdio),
              (OnBridge, ModernStdio)]
