#!/usr/bin/env python3
"""manual_test.py CAIRN: the examples of the manual of the tool `filesystem`, run as written.

Each example begins in a directory that has what it speaks of. Its result is held against the
shapes in the manual, in `structuredContent` and as JSON in the text beside it.
"""

import base64
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import sys
import tempfile

import trees
from normalise import placed
from servers import Cairn, Client, bare, environment

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from server import Report  # noqa: E402

ROLE = "resource/role/assistant/assistant.role.md"
TWENTY = "".join(f"const line{n} = {n};\n" for n in range(1, 21))
TREE = {
    ROLE: "# Assistant\n", "resource/role/developer/developer.role.md": "# Developer\n",
    "resource/role/notes.txt": "notes\n", "resource/manual/filesystem.manual.md": "# Manual\n",
    "resource/node_modules/left.md": "x", "resource/.hidden.md": "x",
    "resource/large.json": "1" * 999,
    "other/not-here.md": "x",
}
OLD = "开头\n旧内容\n中间\n另一处\n结尾\n"
NEW = "开头\n新内容\n中间\n替换内容\n结尾\n"
EDITS = [{"oldText": "旧内容", "newText": "新内容"}, {"oldText": "另一处", "newText": "替换内容"}]


def iso(seconds):
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def is_time(text):
    with contextlib.suppress(ValueError):
        return text.endswith("Z") and len(text) == 24 and datetime.datetime.fromisoformat(text)
    return False


def by_name(entries):
    return sorted(entries, key=lambda entry: entry["name"])


def sorted_tree(entries):
    return by_name([{**e, "children": sorted_tree(e["children"])} if "children" in e else e
                    for e in entries])


def sizes(result, root):
    """Both, with their sizes and times, the largest first."""
    names = sorted(os.listdir(root / "resource"))
    status = {name: os.stat(root / "resource" / name) for name in names}
    wanted = [{"name": name, "type": "directory" if (root / "resource" / name).is_dir() else "file",
               "size": status[name].st_size, "modified": iso(status[name].st_mtime)}
              for name in names]
    seen = [entry["size"] for entry in result]
    return by_name(result) == by_name(wanted) and seen == sorted(seen, reverse=True)


def tree(result, root):
    def files(*names):
        return [{"name": name, "type": "file"} for name in names]

    return sorted_tree(result) == sorted_tree([
        {"name": "assistant", "type": "directory", "children": files("assistant.role.md")},
        {"name": "developer", "type": "directory", "children": files("developer.role.md")},
        *files("notes.txt"), {"name": "empty", "type": "directory", "children": []}])


def info(result, root):
    times = [result.pop(key, "") for key in ("created", "modified", "accessed")]
    return all(map(is_time, times)) and times[1] == iso(trees.WHEN) and result == {
        "size": len(TWENTY), "isDirectory": False, "isFile": True, "permissions": "644"}


def many(result, root):
    error = result[1].pop("error", "")
    return error.startswith("文件不存在") and result == [
        {"path": "file1.md", "content": "one\n", "success": True},
        {"path": "file2.js", "success": False},
        {"path": "file3.txt", "content": "three", "success": True}]


def dry_run(result, root):
    return (root / "resource/role/existing.md").read_text() == OLD and result == {
        "dryRun": True, "original": OLD, "modified": NEW, "changes": EDITS}


def edited(result, root):
    return (root / "resource/role/existing.md").read_text() == NEW and result == {
        "editsApplied": 2, "path": "resource/role/existing.md"}


def written(result, root):
    path, content = "resource/role/new.md", "# 角色\n"
    return (root / path).read_text() == content and result == {"bytesWritten": 9, "path": path}


def role_written(result, root):
    path = "resource/role/fullstack-developer/fullstack-developer.role.md"
    text = "<role>\n  <personality>...</personality>\n</role>"
    return (root / path).read_text() == text and result == {"bytesWritten": len(text), "path": path}


def made(result, root):
    path = root / "resource/role/new-role"
    return path.is_dir() and result == {"created": str(path)}


def moved(result, root):
    draft = "resource/temp/draft.md"
    return (root / ROLE).read_text() == "draft\n" and not (root / draft).exists() and result == {
        "from": draft, "to": ROLE}


def found(result, root):
    return sorted(result) == sorted(["resource/role/assistant/assistant.role.md",
                                     "resource/role/developer/developer.role.md",
                                     "resource/manual/filesystem.manual.md"])


def same(wanted):
    return lambda result, root: result == wanted


def unchanged(files, wanted):
    """This result, and nothing but these files."""
    return lambda result, root: result == wanted and files == {
        name: (root / name).read_text() for name in os.listdir(root)}


# What there is, the manual's example, and whether its result is right.
EXAMPLES = [
    (TREE, {"method": "read_text_file", "path": "resource/role/assistant/assistant.role.md"},
     same("# Assistant\n")),
    ({"resource/tool/calculator/calculator.tool.js": TWENTY},
     {"method": "read_text_file", "path": "resource/tool/calculator/calculator.tool.js",
      "head": 10}, same("\n".join(TWENTY.split("\n")[:10]))),
    ({"file1.md": "one\n", "file3.txt": "three"},
     {"method": "read_multiple_files", "paths": ["file1.md", "file2.js", "file3.txt"]}, many),
    ({},
     {"method": "write_file",
      "path": "resource/role/fullstack-developer/fullstack-developer.role.md",
      "content": "<role>\n  <personality>...</personality>\n</role>"}, role_written),
    ({"resource/role/existing.md": OLD},
     {"method": "edit_file", "path": "resource/role/existing.md", "edits": [
         {"oldText": "旧内容", "newText": "新内容"}, {"oldText": "另一处", "newText": "替换内容"}],
      "dryRun": True}, dry_run),
    (TREE, {"method": "create_directory", "path": "resource/role/new-role"}, made),
    (TREE, {"method": "list_directory_with_sizes", "path": "resource/", "sortBy": "size"}, sizes),
    ({**TREE, "resource/role/empty/": None},
     {"method": "directory_tree", "path": "resource/role/"}, tree),
    ({"resource/temp/draft.md": "draft\n", "resource/role/assistant/": None},
     {"method": "move_file", "source": "resource/temp/draft.md",
      "destination": "resource/role/assistant/assistant.role.md"}, moved),
    (TREE, {"method": "search_files", "path": "resource/", "pattern": "*.md",
            "excludePatterns": ["node_modules/*", ".*"]}, found),
    ({"resource/tool/filesystem/filesystem.tool.js": TWENTY},
     {"method": "get_file_info", "path": "resource/tool/filesystem/filesystem.tool.js"}, info),
    # From the tables of the parameters.
    ({"resource/role/test.md": TWENTY},
     {"method": "read_text_file", "path": "resource/role/test.md", "tail": 20},
     same("".join(TWENTY.splitlines(True)[-20:]))),
    ({"t.txt": "a\nb\nc\n"}, {"method": "read_text_file", "path": "t.txt", "tail": 1}, same("c\n")),
    ({"t.txt": "a\nb\nc"}, {"method": "read_text_file", "path": "t.txt", "tail": 2}, same("b\nc")),
    ({"t.txt": "a\n\n"}, {"method": "read_text_file", "path": "t.txt", "tail": 1}, same("\n")),
    ({"t.txt": "a\nb\n"}, {"method": "read_text_file", "path": "t.txt", "tail": 9}, same("a\nb\n")),
    # The fourteenth.
    ({"t.txt": "a\nb\n"}, {"method": "read_file", "path": "t.txt"}, same("a\nb\n")),
    *(({name: content}, {"method": "read_media_file", "path": name},
       same({"base64": base64.b64encode(content).decode(), "mimeType": kind}))
      for name, content, kind in (
          ("a.pdf", b"%PDF-1.7\n", "application/pdf"), ("a.mp4", b"\0\0\0\x18ftypmp42", "video/mp4"),
          ("a.webm", b"\x1aE\xdf\xa3", "video/webm"), ("a.json", b"{}", "application/json"),
          ("a.txt", b"x", "text/plain"), ("a.md", b"# x", "text/markdown"),
          ("a.html", b"<p>", "text/html"), ("a.zip", b"PK\3\4", "application/zip"),
          ("a", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"))),
    # Tried out: each says what would be, and does nothing.
    ({}, {"method": "write_file", "path": "d/x", "content": "12", "dryRun": True},
     unchanged({}, {"bytesWritten": 2, "path": "d/x", "dryRun": True})),
    ({}, {"method": "create_directory", "path": "d/e", "dryRun": True},
     lambda result, root: result == {"created": str(root / "d/e"), "dryRun": True} and
     not os.listdir(root)),
    ({"a": "1"}, {"method": "move_file", "source": "a", "destination": "b", "dryRun": True},
     unchanged({"a": "1"}, {"from": "a", "to": "b", "dryRun": True})),
    ({"a": "1"}, {"method": "copy_file", "source": "a", "destination": "b", "dryRun": True},
     unchanged({"a": "1"}, {"from": "a", "to": "b", "dryRun": True})),
    ({"a": "1"}, {"method": "delete_file", "path": "a", "dryRun": True},
     unchanged({"a": "1"}, {"deleted": "a", "dryRun": True})),
    ({"a": "x x x"}, {"method": "edit_file", "path": "a", "edits": [
        {"oldText": "x", "newText": "y", "replaceAll": True}]},
     lambda result, root: result == {"editsApplied": 1, "path": "a"} and
     (root / "a").read_text() == "y y y"),
    ({"resource/images/logo.png": trees.PNG},
     {"method": "read_media_file", "path": "resource/images/logo.png"},
     same({"base64": base64.b64encode(trees.PNG).decode(), "mimeType": "image/png"})),
    ({"resource/role/": None},
     {"method": "write_file", "path": "resource/role/new.md", "content": "# 角色\n"}, written),
    ({"resource/role/existing.md": OLD},
     {"method": "edit_file", "path": "resource/role/existing.md", "edits": EDITS}, edited),
    ({"resource/role/file1.md": "1", "resource/role/subfolder/": None},
     {"method": "list_directory", "path": "resource/role/"},
     lambda result, root: by_name(result) == [{"name": "file1.md", "type": "file"},
                                              {"name": "subfolder", "type": "directory"}]),
    ({}, {"method": "list_allowed_directories"}, lambda result, root: result == [str(root)]),
    # Nothing found is an empty list, and a directory's information is a directory's.
    (TREE, {"method": "search_files", "path": "resource/", "pattern": "*.none"}, same([])),
    ({"resource/empty/": None}, {"method": "list_directory", "path": "resource/empty"}, same([])),
    (TREE, {"method": "get_file_info", "path": "resource"},
     lambda result, root: (result["isDirectory"], result["isFile"]) == (True, False)),
]
ERRORS = [
    ("路径越权", {"method": "read_text_file", "path": "../outside.txt"}),
    ("路径越权", {"method": "write_file", "path": "<base>/outside.txt", "content": "x"}),
    ("路径越权", {"method": "list_directory", "path": ".."}),
    ("文件不存在", {"method": "read_text_file", "path": "resource/none.md"}),
    ("文件不存在", {"method": "list_directory", "path": "none/"}),
    ("文件不存在", {"method": "move_file", "source": "none", "destination": "x"}),
    ("参数错误", {"method": "read_text_file"}),
    ("参数错误", {"method": "write_file", "path": "x.md"}),
    ("参数错误", {"method": "read_text_file", "path": 5}),
    ("参数错误", {"method": "read_text_file", "path": "a.txt", "head": 1, "tail": 1}),
    ("参数错误", {"method": "list_directory_with_sizes", "path": "", "sortBy": "colour"}),
    ("参数错误", {"path": "a.txt"}),
    ("参数错误", {"method": "delete_file", "path": "a.txt", "simulate": True}),
    ("参数错误", {"method": "write_file", "path": "a.txt", "content": "", "head": 1}),
    ("参数错误", {"method": "edit_file", "path": "a.txt", "edits": [
        {"oldText": "x", "newText": "y", "replace_all": True}]}),
    ("不支持的方法", {"method": "delete_everything", "path": "a.txt"}),
    ("不支持的方法", {"method": "", "path": "a.txt"}),
]
DENIED = [
    ("权限不足", {"method": "read_text_file", "path": "secret/closed.txt"}),
    ("权限不足", {"method": "write_file", "path": "fixed/new.txt", "content": "x"}),
    ("权限不足", {"method": "list_directory", "path": "shut"}),
]


class Manual:
    def __init__(self, cairn, report, work):
        self.server, self.report, self.work = Cairn(cairn), report, work
        self.root = work / "home" / ".promptx"
        self.root.mkdir(parents=True)

    def client(self, *before, roots=None, tools="filesystem"):
        roots = [str(self.root)] if roots is None else roots
        client = Client([*before, *self.server.command(roots, tools)], environment(self.work))
        client.begin()
        return client

    def given(self, files):
        for entry in os.scandir(self.root):
            shutil.rmtree(entry.path) if entry.is_dir() else os.unlink(entry.path)
        for path, content in files.items():
            at = self.root / path
            (at if content is None else at.parent).mkdir(parents=True, exist_ok=True)
            if content is not None:
                at.write_bytes(content if isinstance(content, bytes) else content.encode())
                os.utime(at, (trees.WHEN, trees.WHEN))

    def ask(self, client, arguments):
        return client.ask("tools/call", {"name": "filesystem", "arguments": arguments})

    def examples(self, client):
        for files, arguments, right in EXAMPLES:
            self.given(files)
            name = json.dumps(arguments, ensure_ascii=False)
            answer = self.ask(client, arguments)
            value = answer.get("structuredContent")
            self.report.check(f"{name}: no error", not answer.get("isError"), answer)
            if isinstance(value, dict) and set(value) == {"result"}:
                value = value["result"]
                self.report.check(f"{name}: only what is no object is a result",
                                  not isinstance(value, dict), value)
            text = answer["content"][0]["text"]
            self.report.check(f"{name}: the text is the result, or the result as JSON",
                              (text if isinstance(value, str) else as_json(answer)) == value, answer)
            self.report.check(f"{name}: the result", is_right(right, value, self.root), value)

    def errors(self, client, table):
        for kind, arguments in table:
            name = f"{kind}, {json.dumps(arguments, ensure_ascii=False)}"
            answer = self.ask(client, placed(arguments, self.work))
            value = answer.get("structuredContent") or {}
            self.report.check(f"{name}: is an error", answer.get("isError") is True, answer)
            self.report.check(f"{name}: the object", set(value) == {"success", "error"} and
                              value["success"] is False, value)
            self.report.check(f"{name}: the kind and more",
                              str(value.get("error")).startswith(kind + ": "), value)
            self.report.check(f"{name}: the text is the object", as_json(answer) == value, answer)

    def permissions(self):
        """As somebody who does not own everything; the number of checks left out."""
        before = bare()
        if before is None:
            return len(DENIED)
        self.given({"secret/closed.txt": "x", "fixed/": None, "shut/": None})
        (self.root / "secret/closed.txt").chmod(0)
        (self.root / "fixed").chmod(0o555)
        (self.root / "shut").chmod(0)
        client = self.client(*before)
        self.errors(client, DENIED)
        client.stop()
        (self.root / "shut").chmod(0o755)
        (self.root / "fixed").chmod(0o755)
        return 0

    def offered(self):
        for tools, wanted in ((None, False), ("filesystem", True)):
            client = self.client(tools=tools)
            self.report.check(f"with --tools {tools}, filesystem is offered: {wanted}",
                              ("filesystem" in client.tools()) == wanted, client.tools())
            client.stop()
        shutil.rmtree(self.root)
        client = self.client(roots=[])
        seen = as_json(self.ask(client, {"method": "list_allowed_directories"}))
        client.stop()
        self.report.check("without a root it is ~/.promptx", seen == [str(self.root)], seen)
        self.report.check("and is made", self.root.is_dir())


def as_json(answer):
    try:
        return json.loads(answer["content"][0]["text"])
    except (LookupError, ValueError):
        return "no JSON"


def is_right(right, value, root):
    try:
        return right(value, root)
    except (TypeError, LookupError, AttributeError, OSError):
        return False


def main():
    report = Report()
    os.umask(0o022)
    work = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="cairn-manual-")))
    work.chmod(0o755)
    try:
        manual = Manual(sys.argv[1], report, work)
        os.chdir(work)  # a server that falls back to where it is started finds nothing of value
        client = manual.client()
        manual.examples(client)
        manual.given({"a.txt": "x"})
        manual.errors(client, ERRORS)
        client.stop()
        if left_out := manual.permissions():
            print(f"{left_out} calls left out: nobody else can run the program", file=sys.stderr)
        manual.offered()
    finally:
        shutil.rmtree(work)
    report.done()


if __name__ == "__main__":
    main()
