"""A service of reels, whose files are uploaded by tus 1.0 to PyPI's aiohttp-tus. A reel is kept as JSON, without a check.

Arguments: a port, and the folder of the complete files."""

import pathlib, sys

from aiohttp import web
from aiohttp_tus import setup_tus

reels = []


async def make(request):
    reel = await request.json() | {"id": len(reels) + 1}
    reels.append(reel)
    return web.json_response(reel, status=201)


async def state(request):
    return web.json_response(reels)


application = setup_tus(
    web.Application(client_max_size=64 << 20), upload_path=pathlib.Path(sys.argv[2]), upload_url="/files")
application.router.add_get("/", state)
application.router.add_post("/reels", make)
web.run_app(application, host="127.0.0.1", port=int(sys.argv[1]))
