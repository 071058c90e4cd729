"""Boards of notes, whose changes are server-sent events. The first part of a path names the board: each test has one.

GET, POST board/notes; PATCH, DELETE board/notes/1; GET board/events, from Last-Event-ID on; POST board/cut breaks the
streams, and POST board/over ends them for good.
"""

import asyncio
import sys

import uvicorn
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class Board:
    def __init__(self):
        self.notes, self.log, self.last = {}, [], 0
        self.changed = asyncio.Condition()
        self.cuts, self.is_over = 0, False

    async def tell(self, kind, note):
        self.log.append((len(self.log) + 1, kind, note))
        await self.wake()

    async def wake(self):
        async with self.changed:
            self.changed.notify_all()


boards = {}


def board_of(request):
    return boards.setdefault(request.path_params["board"], Board())


async def notes(request):
    board = board_of(request)
    if request.method == "GET":
        return JSONResponse(list(board.notes.values()))
    board.last += 1
    note = board.notes[board.last] = {"id": board.last, **await request.json()}
    await board.tell("created", dict(note))
    return JSONResponse(note, 201)


async def note(request):
    board, number = board_of(request), request.path_params["number"]
    if number not in board.notes:
        return Response(status_code=404)
    if request.method == "DELETE":
        del board.notes[number]
        await board.tell("deleted", {"id": number})
        return Response(status_code=204)
    board.notes[number].update(await request.json())
    await board.tell("updated", dict(board.notes[number]))
    return JSONResponse(board.notes[number])


async def events(request):
    board = board_of(request)
    if board.is_over:
        return Response(status_code=204)
    sent, cuts = int(request.headers.get("last-event-id") or 0), board.cuts

    async def stream():
        nonlocal sent
        yield ServerSentEvent(comment="welcome", retry=100)
        while board.cuts == cuts:
            for number, kind, content in board.log[sent:]:
                sent = number
                # Lines of its own make data of several lines.
                text = JSONResponse(content).body.decode().replace(",", ",\n")
                yield ServerSentEvent(data=text, event=kind, id=str(number))
            async with board.changed:
                if len(board.log) == sent and board.cuts == cuts:
                    await board.changed.wait()

    return EventSourceResponse(stream(), ping=1)


async def cut(request):
    board = board_of(request)
    board.cuts += 1
    board.is_over = request.url.path.endswith("/over")
    await board.wake()
    return Response(status_code=204)


application = Starlette(
    routes=[
        Route("/{board}/notes", notes, methods=["GET", "POST"]),
        Route("/{board}/notes/{number:int}", note, methods=["PATCH", "DELETE"]),
        Route("/{board}/events", events),
        Route("/{board}/cut", cut, methods=["POST"]),
        Route("/{board}/over", cut, methods=["POST"]),
    ]
)
uvicorn.run(application, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
