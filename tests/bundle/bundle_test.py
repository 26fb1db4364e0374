#!/usr/bin/env python3
"""bundle_test.py CAIRN BUNDLE DIR: unpacks a bundle as a client does, and starts what is in it."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "mcp"))
from stdio_client import Client  # noqa: E402


def unpack(bundle, directory):
    with zipfile.ZipFile(bundle) as archive:
        for info in archive.infolist():
            archive.extract(info, directory)
            os.chmod(directory / info.filename, info.external_attr >> 16)


def filled(value, directory, settings):
    """The manifest's variables, as a host fills them in."""
    value = value.replace("${__dirname}", str(directory))
    for name, setting in settings.items():
        value = value.replace("${user_config." + name + "}", setting)
    assert "${" not in value, value
    return value


def main(cairn, bundle, directory):
    unpack(bundle, directory)
    manifest = json.loads((directory / "manifest.json").read_text())
    registry = json.loads(bundle.with_name("server.json").read_text())
    version = subprocess.run([cairn, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.split()[1] == manifest["version"] == registry["version"], version
    package, = registry["packages"]
    assert package["version"] == registry["version"]
    assert f"/v{registry['version']}/" in package["identifier"], package
    assert package["fileSha256"] == hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert len(registry["description"]) <= 100

    server = manifest["server"]
    assert (directory / server["entry_point"]).is_file()
    config = server["mcp_config"]
    settings = {name: one["default"] for name, one in manifest["user_config"].items()}
    settings["data"] = str(directory / "data of mine")
    client = Client([filled(word, directory, settings) for word in [config["command"], *config["args"]]],
                    {name: filled(value, directory, settings) for name, value in config["env"].items()})
    greeting = client.begin()
    assert greeting["serverInfo"]["version"] == manifest["version"], greeting
    assert "fs_read" in client.tools()
    client.call("create_depot", title="from a bundle")
    assert client.leave() == (0, "")
    assert pathlib.Path(settings["data"], "store").is_dir()


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
