"""Install the pinned peers. Each environment is made again only when its lock file has changed."""

import asyncio
import hashlib
import shutil
import sys
from pathlib import Path

from programs import NODE_MODULES, PEERS, RMCP_TARGET, ROOT, VENVS, venv_python

PYTHON_VERSIONS = ("1.0.0", "1.30.0", "2.3.0")


class SetupError(Exception):
    """A peer can't be installed."""


async def command(*arguments: str | Path, folder: Path = ROOT) -> None:
    """Run a command; what it prints is shown only if it fails."""
    process = await asyncio.create_subprocess_exec(
        *map(str, arguments),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    if process.returncode:
        text = output.decode(errors="replace")
        raise SetupError(f"{' '.join(map(str, arguments))}: exit status {process.returncode}\n{text}")


def digest(*parts: str | Path) -> str:
    """What an environment was made from."""
    content = hashlib.sha256()
    for part in parts:
        content.update(part.read_bytes() if isinstance(part, Path) else part.encode())
    return content.hexdigest()


def is_fresh(stamp: Path, wanted: str) -> bool:
    """Whether the environment was made from the same."""
    return stamp.exists() and stamp.read_text() == wanted


async def install_python(version: str) -> None:
    """Make the environment of one `mcp` version; they can't share one."""
    requirements = PEERS / f"requirements-mcp-{version}.txt"
    folder = VENVS / f"mcp-{version}"
    stamp, wanted = folder / "stamp", digest(requirements, sys.version)
    if is_fresh(stamp, wanted):
        return
    shutil.rmtree(folder, ignore_errors=True)
    await command(sys.executable, "-m", "venv", folder)
    await command(
        venv_python(version), "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", requirements
    )
    stamp.write_text(wanted)
    print(f"installed mcp {version}", flush=True)


async def install_pythons() -> None:
    """One after the other: pip uses a whole core."""
    for version in PYTHON_VERSIONS:
        await install_python(version)


async def install_npm() -> None:
    """Install the npm packages; none of them needs an install script."""
    stamp, wanted = NODE_MODULES / ".stamp", digest(PEERS / "package.json", PEERS / "package-lock.json")
    if is_fresh(stamp, wanted):
        return
    await command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=PEERS)
    stamp.write_text(wanted)
    print("installed the npm packages", flush=True)


async def build_rmcp() -> None:
    """Build the programs on rmcp; cargo knows what is stale."""
    manifest = ROOT / "tests" / "peers-rmcp" / "Cargo.toml"
    await command("cargo", "build", "--locked", "--manifest-path", manifest, "--target-dir", RMCP_TARGET)
    print("built the programs on rmcp", flush=True)


async def install() -> None:
    """Install everything."""
    await asyncio.gather(build_rmcp(), install_pythons(), install_npm())
