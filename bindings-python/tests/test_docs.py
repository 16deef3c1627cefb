"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest
import json
import subprocess
import textwrap
from typing import TYPE_CHECKING

import mcp_sansio
from io_tools import PYTHON
from pair import call_tool

if TYPE_CHECKING:
    from pathlib import Path


def _block(after: str) -> str:
    """The indented block below a line of the package's documentation."""
    assert mcp_sansio.__doc__ is not None
    _, _, rest = mcp_sansio.__doc__.partition(after)
    lines: list[str] = []
    for line in rest.splitlines()[2:]:
        if line and not line.startswith("    "):
            break
        lines.append(line)
    block = textwrap.dedent("\n".join(lines)).strip() + "\n"
    assert len(block) > 50
    return block


def test_the_server_and_the_client(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(_block("(`server.py`):"))
    (tmp_path / "client.py").write_text(_block("(`client.py`):"))
    ended = subprocess.run([PYTHON, "client.py"], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == _block("It prints:")


def test_the_engine_by_itself() -> None:
    call = call_tool(1, a=1, b=2).replace(b'"echo"', b'"add"')
    modern = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "doc", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = json.loads(call)
    message["params"]["_meta"] = modern
    names = {"CALL": json.dumps(message).encode() + b"\n", "json": json}
    results = doctest.testmod(mcp_sansio, extraglobs=names, raise_on_error=True)
    assert results.attempted > 5
