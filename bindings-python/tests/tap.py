"""Runs a command and keeps what goes through its standard input and output: `tap.py IN OUT COMMAND…`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path


def copy(source: int, sink: int, kept: Path) -> None:
    with kept.open("wb", buffering=0) as file:
        while data := os.read(source, 65536):
            file.write(data)
            os.write(sink, data)
    os.close(sink)


def main() -> int:
    kept_input, kept_output, *command = sys.argv[1:]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    feed = threading.Thread(target=copy, args=(0, os.dup(child.stdin.fileno()), Path(kept_input)), daemon=True)
    child.stdin.close()
    feed.start()
    copy(child.stdout.fileno(), 1, Path(kept_output))
    status = child.wait()
    feed.join()
    return status


if __name__ == "__main__":
    sys.exit(main())
