"""Run a server command in its place and keep what passes: ``tap.py DIRECTORY COMMAND [ARGUMENT…]``.

Bytes, end of input, SIGTERM, SIGINT, standard error and the exit status go through unchanged. Each start of the
command writes one file of JSON lines into the directory, named so that the names sort in the order of the starts:

``{"t": seconds of the monotonic clock, "kind": …, …}`` where ``kind`` is

- ``start`` with ``command`` and the pid of the ``tap``; ``pid`` with ``pid`` of the server,
- ``client``, ``server`` or ``stderr`` with ``line``, written before the line is passed on; a last line that no
  newline ended has ``unfinished``,
- ``client_eof``, ``server_eof``, ``stderr_eof``, and ``client_gone``, ``server_gone``, ``stderr_gone`` when the
  reader of what is passed on has left,
- ``signal`` with ``number``, forwarded to the server,
- ``exit`` with ``status``, negative for a signal.

Only modules that load fast are used, and ``python -S -E`` suits it: a client waits for it at each start.
"""

import json
import os
import signal
import sys
import threading
import time

CHUNK = 65536
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Log:
    """A file of JSON lines that several threads write to."""

    def __init__(self, directory: str) -> None:
        """Make the file of this start."""
        name = f"{time.time_ns():020d}-{os.getpid()}.jsonl"
        self._file = os.open(os.path.join(directory, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        self._lock = threading.Lock()

    def write(self, kind: str, **fields: object) -> None:
        """Append one record; the order of the file is the order of the times."""
        with self._lock:
            record = {"t": time.monotonic(), "kind": kind, **fields}
            os.write(self._file, json.dumps(record).encode() + b"\n")


def write_all(target: int, data: bytes) -> bool:
    """Write everything; false when nobody reads any more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BrokenPipeError:
            return False
    return True


def pump(log: Log, kind: str, source: int, target: int, reader: str) -> None:
    """Copy one direction until its end, noting each line before it is passed on."""
    partial = b""
    while data := os.read(source, CHUNK):
        *lines, partial = (partial + data).split(b"\n")
        for line in lines:
            log.write(kind, line=line.decode("utf-8", "surrogateescape"))
        if not write_all(target, data):
            log.write(f"{reader}_gone")
            break
    else:
        if partial:
            log.write(kind, line=partial.decode("utf-8", "surrogateescape"), unfinished=True)
        log.write(f"{kind}_eof")
    os.close(source)
    os.close(target)


def forward_signals(log: Log, pid: int) -> None:
    """Pass each signal on to the server, which may be gone."""
    while True:
        number = signal.sigwait(SIGNALS)
        log.write("signal", number=number)
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return


def main() -> int:
    """Run the server to its end and return its exit status."""
    directory, *command = sys.argv[1:]
    log = Log(directory)
    log.write("start", command=command, tap=os.getpid())

    # Blocked for every thread, so that only `forward_signals` takes them.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    server_stdin, to_server = os.pipe()
    from_server, server_stdout = os.pipe()
    from_stderr, server_stderr = os.pipe()
    try:
        pid = os.posix_spawnp(
            command[0],
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, server_stdin, 0),
                (os.POSIX_SPAWN_DUP2, server_stdout, 1),
                (os.POSIX_SPAWN_DUP2, server_stderr, 2),
            ],
            setsigmask=(),
            setsigdef=(signal.SIGPIPE,),
        )
    except OSError as error:
        sys.stderr.write(f"tap: cannot start {command[0]}: {error.strerror}\n")
        log.write("exit", status=127)
        return 127
    log.write("pid", pid=pid)
    for descriptor in (server_stdin, server_stdout, server_stderr):
        os.close(descriptor)

    threading.Thread(target=forward_signals, args=(log, pid), daemon=True).start()
    threading.Thread(target=pump, args=(log, "client", 0, to_server, "server"), daemon=True).start()
    outputs = [
        threading.Thread(target=pump, args=(log, "server", from_server, 1, "client")),
        threading.Thread(target=pump, args=(log, "stderr", from_stderr, 2, "stderr")),
    ]
    for thread in outputs:
        thread.start()

    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    for thread in outputs:
        thread.join()
    log.write("exit", status=status)
    if status < 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    os._exit(main())
