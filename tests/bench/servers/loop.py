"""The least that a Python server on asyncio does: read a line, decode it, encode the answer, write it."""

import asyncio
import json
import sys


async def main() -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    output = sys.stdout.buffer
    while line := await reader.readline():
        call = json.loads(line)
        text = call["params"]["arguments"]["text"]
        result = {"content": [{"type": "text", "text": text}]}
        output.write(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}).encode() + b"\n")
        output.flush()


asyncio.run(main())
