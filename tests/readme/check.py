"""Runs the code of README.md: the servers under an official client, the clients against an official server.

`check.py --python PYTHON --peer-python PYTHON --peer-node-modules FOLDER`: the project's Python, one with `mcp` 2.3.0,
and the `node_modules` that hold `@modelcontextprotocol/server-everything`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENT = Path(__file__).with_name("official_client.py")
GREETING = "Hello, Ada!"
ECHO = "héé 漢 🦀"
SECONDS = 60
LANGUAGES = ("python", "js", "rust")
ROLES = ("server", "client")

MANIFEST = """[package]
name = "readme"
version = "0.0.0"
edition = "2024"

[[bin]]
name = "server"
path = "server.rs"

[[bin]]
name = "client"
path = "client.rs"

[dependencies]
mcp-sansio = {{ path = "{core}" }}
serde_json = "1"

[workspace]
"""


def blocks() -> dict[tuple[str, str], str]:
    """The fenced blocks that have a role, by language and role."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^```(python|js|rust) (server|client)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    code = {(language, role): text for language, role, text in found}
    wanted = {(language, role) for language in LANGUAGES for role in ROLES}
    if code.keys() != wanted:
        sys.exit(f"README.md lacks {wanted - code.keys()}")
    return code


def write(path: Path, text: str) -> Path:
    """Writes a file and the folders that lead to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def commands(code: dict[tuple[str, str], str], python: str) -> dict[tuple[str, str], list[str]]:
    """How each block is run."""
    folder = ROOT / "target" / "readme"
    # A file in the package's own folder finds the package by its name.
    javascript = ROOT / "bindings-node" / "build" / "readme"
    crate = folder / "crate"
    write(crate / "Cargo.toml", MANIFEST.format(core=ROOT / "core"))
    write(crate / "Cargo.lock", (ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    run: dict[tuple[str, str], list[str]] = {}
    for role in ROLES:
        run["python", role] = [python, str(write(folder / f"{role}.py", code["python", role]))]
        run["js", role] = ["node", str(write(javascript / f"{role}.mjs", code["js", role]))]
        write(crate / f"{role}.rs", code["rust", role])
        run["rust", role] = [str(ROOT / "target" / "debug" / role)]
    build = [
        "cargo",
        "build",
        "--quiet",
        "--manifest-path",
        str(crate / "Cargo.toml"),
        "--target-dir",
        str(ROOT / "target"),
    ]
    subprocess.run(build, check=True)
    return run


def main() -> None:
    """Runs each block against its peer, and fails with what was seen."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--peer-python", required=True)
    parser.add_argument("--peer-node-modules", required=True)
    options = parser.parse_args()
    everything = Path(options.peer_node_modules) / "@modelcontextprotocol/server-everything/dist/index.js"
    code = blocks()
    run = commands(code, options.python)
    failed = 0
    for (language, role), command in sorted(run.items()):
        if role == "server":
            line, wanted = [options.peer_python, str(CLIENT), *command], GREETING
        else:
            line, wanted = [*command, "node", str(everything)], ECHO
        done = subprocess.run(line, capture_output=True, text=True, timeout=SECONDS, check=False)
        passed = done.returncode == 0 and wanted in done.stdout
        failed += not passed
        print(f"{'ok' if passed else 'FAILED'}  {language} {role}")
        if not passed:
            print(done.stdout, done.stderr, sep="\n")
    print(f"{len(run) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
