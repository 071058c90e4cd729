"""The server of scripts/soak: it answers as the path says, well or badly.

A path is /KIND/NUMBER/SIZE. A good body is the number and a comma, over and over, SIZE bytes long: the client can tell whose
answer it got, and whether all of it came.
"""

import asyncio
import gzip
import socket
import struct
import sys


def body_of(number, size):
    word = f"{number},".encode()
    return (word * (size // len(word) + 1))[:size]


def head(status, *fields):
    return ("\r\n".join([f"HTTP/1.1 {status}", *fields]) + "\r\n\r\n").encode()


def sized(body, *fields, status="200 OK"):
    return head(status, f"Content-Length: {len(body)}", *fields) + body


def chunk(piece):
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


CHUNKED = "Transfer-Encoding: chunked"


class Closed(Exception):
    """The connection ends here."""


def reset(writer):
    # With a linger time of none, the close is a reset.
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    raise Closed


async def answer(kind, number, size, sent, reader, writer):
    body = body_of(number, size)
    if kind == "ok":
        writer.write(sized(body))
    elif kind in ("put", "post"):
        writer.write(sized(sent))
    elif kind == "leaves":
        # It closes a connection that it has not said it would close.
        writer.write(sized(body))
        await writer.drain()
        raise Closed
    elif kind == "chunks":
        writer.write(head("200 OK", CHUNKED))
        for start in range(0, size, 1_000):
            writer.write(chunk(body[start : start + 1_000]))
        writer.write(b"0\r\n\r\n")
    elif kind == "gzip":
        writer.write(sized(gzip.compress(body, 1), "Content-Encoding: gzip"))
    elif kind == "slow":
        writer.write(head("200 OK", f"Content-Length: {size}"))
        for start in range(0, size, size // 8 + 1):
            writer.write(body[start : start + size // 8 + 1])
            await writer.drain()
            await asyncio.sleep(0.05)
    elif kind == "late":
        await asyncio.sleep(0.3)
        writer.write(sized(body))
    elif kind == "moved":
        writer.write(sized(b"", f"Location: /ok/{number}/{size}", status="302 Found"))
    elif kind == "busy":
        writer.write(sized(body, status="503 Service Unavailable"))
    elif kind == "cut":
        writer.write(head("200 OK", f"Content-Length: {size}") + body[: size // 2])
        await writer.drain()
        raise Closed
    elif kind == "cutchunks":
        writer.write(head("200 OK", CHUNKED) + chunk(body))
        await writer.drain()
        raise Closed
    elif kind == "cutgzip":
        coded = gzip.compress(body, 1)
        writer.write(sized(coded[: len(coded) - 9], "Content-Encoding: gzip"))
    elif kind == "hangup":
        raise Closed
    elif kind == "reset":
        reset(writer)
    elif kind == "resetbody":
        writer.write(head("200 OK", f"Content-Length: {size}") + body[: size // 2])
        await writer.drain()
        reset(writer)
    elif kind == "silent":
        # Until the client goes.
        await reader.read()
        raise Closed
    else:
        writer.write(sized(b"", status="404 Not Found"))


async def content(reader, fields):
    if fields.get("transfer-encoding") == "chunked":
        pieces = []
        while size := int(await reader.readline(), 16):
            pieces.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(pieces)
    return await reader.readexactly(int(fields.get("content-length", 0)))


async def serve(reader, writer):
    try:
        while True:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:-2])}
            if fields.get("expect") == "100-continue":
                writer.write(head("100 Continue"))
            sent = await content(reader, fields)
            kind, number, size = lines[0].split(" ")[1].strip("/").split("/")
            await answer(kind, number, int(size), sent, reader, writer)
            await writer.drain()
    except (Closed, OSError, EOFError):
        pass
    finally:
        writer.close()


async def main(port):
    # A body is read no further than it is taken.
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=4_096)
    async with server:
        await server.serve_forever()


asyncio.run(main(int(sys.argv[1])))
