"""The programs of the matrix and its cells. A program is added here, and nowhere else."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from features import Step, files, of_everything, of_programs

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "interop"
PEERS = HERE / "peers"
VENVS = HERE / ".venvs"
NODE_MODULES = PEERS / "node_modules"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
RMCP_TARGET = TARGET / "peers-rmcp"
GATE = TARGET / "debug" / "mcp-sansio-gate"
"""What checks the messages of a tap against the schemas."""

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
TEXT = "héé 漢 🦀"

Script = dict[str, dict[str, Any]]
"""For each step that calls a tool, the name and the arguments of that tool; see the README."""
Command = tuple[str | Path, ...]


@dataclass(frozen=True)
class Client:
    """A client program; it takes the script and the server's command after its own."""

    name: str
    command: Command
    revision: str
    """What it negotiates with a server of both eras."""
    probes: bool = False
    """Whether it begins with `server/discover`."""
    ours: bool = False
    takes_more: bool = False
    """Whether it does the steps of `features.py`."""


@dataclass(frozen=True)
class Server:
    """A server program and the script that suits its tools; both may use a folder made for the run."""

    name: str
    command: Callable[[Path], Command]
    script: Callable[[Path], Script]
    revision: str
    """What a probing client negotiates with it."""
    ours: bool = False
    more: Callable[[str], tuple[Step, ...]] = lambda _: ()
    """The steps of `features.py` that suit it, in a revision."""


@dataclass(frozen=True)
class Cell:
    """A client with a server, and the revision that they must speak."""

    client: Client
    server: Server
    revision: str

    @property
    def name(self) -> str:
        """The name that options and reports use."""
        return f"{self.client.name} > {self.server.name}"

    @property
    def more(self) -> tuple[Step, ...]:
        """Steps beyond the tools."""
        return self.server.more(self.revision) if self.client.takes_more else ()


def tools_script(cancel_after: str) -> Script:
    """The script for the four tools of the matrix."""
    return {
        "echo": {"name": "echo", "arguments": {"text": TEXT}, "expect": TEXT},
        "fail": {"name": "fail", "arguments": {}},
        "progress": {"name": "count", "arguments": {"n": 5}},
        "cancel": {"name": "wait", "arguments": {}, "after": cancel_after},
    }


def everything_script(_folder: Path) -> Script:
    """The script for the tools of `server-everything`; its long operation ends by itself soon after the input."""
    operation = "trigger-long-running-operation"
    return {
        "echo": {"name": "echo", "arguments": {"message": TEXT}, "expect": f"Echo: {TEXT}"},
        "fail": {"name": "get-sum", "arguments": {"a": "one", "b": 2}},
        "progress": {"name": operation, "arguments": {"duration": 0.2, "steps": 4}},
        "cancel": {"name": operation, "arguments": {"duration": 0.5, "steps": 25}, "after": "first-progress"},
    }


def filesystem_script(folder: Path) -> Script:
    """The script for `server-filesystem`: it reads a file in its folder, and one outside of it."""
    greeting = folder / "greeting.txt"
    greeting.write_text(TEXT, encoding="utf-8")
    read = "read_text_file"
    return {
        "echo": {"name": read, "arguments": {"path": str(greeting)}, "expect": TEXT},
        "fail": {"name": read, "arguments": {"path": str(HERE / "README.md")}},
        "progress": {"name": read, "arguments": {"path": str(greeting), "head": 1}},
    }


def uncancelled(script: Script) -> Script:
    """The script without its cancel step."""
    return {step: call for step, call in script.items() if step != "cancel"}


def venv_python(version: str) -> Path:
    """The interpreter of the environment of one `mcp` version."""
    return VENVS / f"mcp-{version}" / "bin" / "python"


def python_client(version: str, revision: str, *mode: str, takes_more: bool = False) -> Client:
    """A client on PyPI `mcp`."""
    program = PEERS / f"mcp_{version.replace('.', '_')}_client.py"
    options = ("--mode", *mode) if mode else ()
    name = " ".join(("mcp", version, *mode))
    command: Command = (venv_python(version), program, *options)
    return Client(name, command, revision, probes=mode == ("auto",), takes_more=takes_more)


def sdk_client(version: str, revision: str) -> Client:
    """A client on npm `@modelcontextprotocol/sdk`."""
    return Client(f"npm sdk {version}", ("node", PEERS / "sdk_client.mjs", "--mode", version), revision)


def rmcp_client(mode: str, revision: str) -> Client:
    """A client on `rmcp`."""
    command: Command = (RMCP_TARGET / "debug/rmcp-client", "--mode", mode.lower())
    return Client(f"rmcp 3.11 {mode}", command, revision, probes=mode == "Discover", takes_more=True)


PEER_CLIENTS = (
    python_client("1.0.0", "2024-11-05"),
    sdk_client("1.12.0", "2025-03-26"),
    sdk_client("1.17.0", "2025-06-18"),
    python_client("1.30.0", "2025-11-25", takes_more=True),
    sdk_client("1.32.2", "2025-11-25"),
    python_client("2.3.0", "2025-11-25", "legacy", takes_more=True),
    python_client("2.3.0", MODERN, "auto", takes_more=True),
    Client("npm client 2.4.0 default", ("node", PEERS / "client_2.mjs"), "2025-11-25", takes_more=True),
    Client(
        "npm client 2.4.0 auto",
        ("node", PEERS / "client_2.mjs", "--mode", "auto"),
        MODERN,
        probes=True,
        takes_more=True,
    ),
    rmcp_client("Initialize", "2025-11-25"),
    rmcp_client("Discover", MODERN),
)


def python_server(version: str, revision: str, script: Script) -> Server:
    """A server on PyPI `mcp`."""
    program = PEERS / f"mcp_{version.replace('.', '_')}_server.py"
    return Server(f"mcp {version}", lambda _: (venv_python(version), program), lambda _: script, revision)


def newest_legacy(revision: str) -> tuple[Step, ...]:
    """The steps for `mcp` 1.30.0, whose `FastMCP` has neither levels nor subscriptions."""
    return of_programs(modern=False, logs=False, watches=False) if revision == LEGACY[-1] else ()


ANSWERING_PROGRESS = tools_script("first-progress")
MCP_1_30 = replace(python_server("1.30.0", "2025-11-25", ANSWERING_PROGRESS), more=newest_legacy)
PEER_SERVERS = (
    Server(
        "server-everything",
        lambda _: ("node", NODE_MODULES / "@modelcontextprotocol/server-everything/dist/index.js"),
        everything_script,
        "2025-11-25",
        more=lambda _: of_everything(),
    ),
    Server(
        "server-filesystem",
        lambda folder: ("node", NODE_MODULES / "@modelcontextprotocol/server-filesystem/dist/index.js", folder),
        filesystem_script,
        "2025-11-25",
    ),
    replace(
        python_server("2.3.0", MODERN, ANSWERING_PROGRESS),
        more=lambda _: of_programs(modern=True, logs=True, watches=True),
    ),
    python_server("1.0.0", "2024-11-05", uncancelled(ANSWERING_PROGRESS)),
    Server(
        "npm server 2.4.0",
        lambda _: ("node", PEERS / "server_2.mjs"),
        lambda _: ANSWERING_PROGRESS,
        MODERN,
        more=lambda _: of_programs(modern=True, logs=True, watches=False),
    ),
    Server(
        "rmcp 3.11",
        lambda _: (RMCP_TARGET / "debug/rmcp-server",),
        lambda _: ANSWERING_PROGRESS,
        MODERN,
        more=lambda _: of_programs(modern=True, logs=False, watches=False, asks=False),
    ),
)

PYTHON = ROOT / ".venv/bin/python"
OUR_CLIENTS = (
    Client("Rust", (TARGET / "debug/examples/stdio_client",), MODERN, probes=True, ours=True, takes_more=True),
    Client("Python", (PYTHON, ROOT / "bindings-python/examples/client.py"), MODERN, probes=True, ours=True),
    Client("Node", ("node", ROOT / "bindings-node/examples/client.mjs"), MODERN, probes=True, ours=True),
)


def of_rust(revision: str) -> tuple[Step, ...]:
    """The steps for our Rust server, which serves the files of a folder."""
    if revision not in (LEGACY[-1], MODERN):
        return ()
    modern = revision == MODERN
    return of_programs(modern=modern, logs=True, watches=True) + files(PEERS, modern=modern)


def our_server(name: str, *command: str | Path) -> Server:
    """One of this project's servers; `wait` has no progress."""
    return Server(name, lambda _: command, lambda _: tools_script("sent"), MODERN, ours=True)


OUR_SERVERS = (
    replace(our_server("Rust", TARGET / "debug/examples/stdio_server", PEERS), more=of_rust),
    our_server("Python", PYTHON, ROOT / "bindings-python/examples/server.py"),
    our_server("Node", "node", ROOT / "bindings-node/examples/server.mjs"),
)


CELLS = 63
"""The size of the whole matrix: 11 clients on 3 servers, and 3 clients on 10 servers."""


def asking(client: Client, revision: str) -> Client:
    """The client told to ask for one legacy revision, which needs no probe."""
    return replace(client, command=(*client.command, "--revision", revision), probes=False)


def cells() -> list[Cell]:
    """The matrix: every peer's client on our servers, and our clients on every peer's server."""
    return [
        *(Cell(client, server, client.revision) for client in PEER_CLIENTS for server in OUR_SERVERS),
        *(Cell(client, server, server.revision) for server in PEER_SERVERS for client in OUR_CLIENTS),
        *(
            Cell(asking(client, revision), replace(MCP_1_30, name=f"{MCP_1_30.name} at {revision}"), revision)
            for revision in LEGACY
            for client in OUR_CLIENTS
        ),
    ]


def official_cells() -> list[Cell]:
    """Peers with peers of both eras, which proves their programs and the tap without ours."""
    both_eras = [server for server in PEER_SERVERS if server.revision == MODERN]
    return [Cell(client, server, client.revision) for client in PEER_CLIENTS for server in both_eras]


def tap_command(directory: Path) -> Command:
    """What a server's command is put behind."""
    return (sys.executable, "-S", "-E", HERE / "tap.py", directory)
