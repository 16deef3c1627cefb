"""The stub says what the module is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import mcp_sansio
from io_tools import PYTHON

ROOT = Path(__file__).parents[1]
STUBTEST = (PYTHON, "-m", "mypy.stubtest", "mcp_sansio", "--mypy-config-file", "pyproject.toml")


def test_the_stub_fits_the_module() -> None:
    ended = subprocess.run(
        [*STUBTEST, "--allowlist", "tests/stubtest.allow"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_package_is_typed() -> None:
    package = Path(mcp_sansio.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "_core.pyi").exists()
