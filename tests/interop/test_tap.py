"""The tap changes nothing: bytes, ends, signals, standard error and exit statuses go through it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from programs import tap_command
from transcript import Start, read_starts

CAT = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"
WAIT = "import sys; print('{}', flush=True); sys.stdin.read()"
TERM = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
print('{}', flush=True)
signal.pause()
"""


class Tap(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, program: str) -> "subprocess.Popen[bytes]":
        command = [*map(str, tap_command(self.folder)), sys.executable, "-c", program]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        return process

    def records(self) -> list[dict[str, Any]]:
        (path,) = self.folder.iterdir()
        return [json.loads(line) for line in path.read_text().splitlines()]

    def only_start(self) -> Start:
        (start,) = read_starts(self.folder)
        return start

    def test_bytes_go_through_unchanged(self) -> None:
        for data in (
            b"",
            b"\n",
            b'{"a":1}\r\n\n',
            b"no newline",
            b"\xff\xfe\x00\n",
            "héé 漢\u2028 🦀\n".encode(),
            os.urandom(300_000),
        ):
            with self.subTest(data[:20]), tempfile.TemporaryDirectory() as folder:
                self.folder = Path(folder)
                output, errors = self.start(CAT).communicate(data)
                self.assertEqual(output, data)
                self.assertEqual(errors, b"")
                lines = [
                    record["line"].encode("utf-8", "surrogateescape")
                    for record in self.records()
                    if record["kind"] == "server"
                ]
                self.assertEqual(b"\n".join(lines), data.removesuffix(b"\n"))

    def test_the_server_sees_the_end_of_its_input_and_its_status_comes_back(self) -> None:
        process = self.start("import sys; sys.stdin.read(); print('bye', file=sys.stderr); sys.exit(7)")
        _, errors = process.communicate(b"{}\n")
        self.assertEqual((process.returncode, errors), (7, b"bye\n"))
        start = self.only_start()
        assert start.end_of_input and start.exit
        self.assertLess(start.end_of_input.position, start.exit.position)
        self.assertEqual((start.exit.value, [mark.value for mark in start.stderr]), (7, ["bye"]))

    def test_a_signal_is_forwarded(self) -> None:
        for program, status in ((WAIT, -signal.SIGTERM), (TERM, 5)):
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                self.folder = Path(folder)
                process = self.start(program)
                assert process.stdout
                process.stdout.readline()
                process.send_signal(signal.SIGTERM)
                process.communicate()
                self.assertEqual(process.returncode, status)
                start = self.only_start()
                self.assertEqual([mark.value for mark in start.signals], [signal.SIGTERM])
                self.assertEqual(start.exit and start.exit.value, status)

    def test_the_server_exits_while_its_input_is_open(self) -> None:
        process = self.start("print('{}')")
        assert process.stdout
        self.assertEqual(process.stdout.read(), b"{}\n")
        self.assertEqual(process.wait(), 0)
        process.communicate()

    def test_the_client_stops_reading(self) -> None:
        process = self.start("import sys\nfor line in sys.stdin: print('x' * 100_000, flush=True)")
        assert process.stdin and process.stdout
        process.stdout.close()
        process.stdin.write(b"1\n2\n")
        process.stdin.close()
        process.wait()
        self.assertIn("client_gone", [record["kind"] for record in self.records()])

    def test_a_command_that_cannot_be_started(self) -> None:
        command = [*map(str, tap_command(self.folder)), "/nowhere/server"]
        result = subprocess.run(command, capture_output=True, check=False)
        self.assertEqual(result.returncode, 127)
        self.assertIn(b"/nowhere/server", result.stderr)


if __name__ == "__main__":
    unittest.main()
