"""A service of reels, whose films are uploaded by tus 1.0 to PyPI's aiohttp-tus. A reel is kept as JSON, without a check. Its
poster is the body of a PUT, and its still is in a form, both read by aiohttp.

Arguments: a port, and the folder of the complete files."""

import json, mimetypes, pathlib, sys

from aiohttp import web
from aiohttp_tus import setup_tus

reels, folder = [], pathlib.Path(sys.argv[2])


async def make(request):
    reel = await request.json() | {"id": len(reels) + 1}
    reels.append(reel)
    return web.json_response(reel, status=201)


async def state(request):
    return web.json_response(reels)


def reel_of(request):
    number = int(request.match_info["number"])
    if not 0 < number <= len(reels):
        raise web.HTTPNotFound()
    return reels[number - 1]


def keep(reel, kind, content_type, data):
    """Writes a file of a reel; the name has an extension for the content type."""
    reel[kind] = f"{kind}-{reel['id']}{mimetypes.guess_extension(content_type) or ''}"
    (folder / reel[kind]).write_bytes(data)
    return web.json_response(reel)


async def poster(request):
    return keep(reel_of(request), "poster", request.content_type, await request.read())


async def still(request):
    reel, form = reel_of(request), await request.post()
    picture = form["picture"]
    if reel["title"] == "no stills":
        return web.json_response({"error": "this reel takes no stills"}, status=422)
    answer = keep(reel, "still", picture.content_type, picture.file.read())
    note = {"filename": picture.filename, "type": picture.content_type, "caption": form["caption"]}
    (folder / (reel["still"] + ".json")).write_text(json.dumps(note))
    return answer


application = setup_tus(
    web.Application(client_max_size=64 << 20), upload_path=folder, upload_url="/files")
application.router.add_get("/", state)
application.router.add_post("/reels", make)
application.router.add_put(r"/reels/{number:\d+}/poster", poster)
application.router.add_post(r"/reels/{number:\d+}/stills", still)
web.run_app(application, host="127.0.0.1", port=int(sys.argv[1]))
