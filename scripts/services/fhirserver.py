"""A service of FHIR R4B for patients, by PyPI's fhirstarter and fhir.resources, which read the resources, refuse those that
break the specification, and write Bundles and OperationOutcomes. Ours is the database, of SQLite, and what the handlers of
fhirstarter leave to a service (https://hl7.org/fhir/R4B/http.html, "Versioning", "Managing Resource Contention", "Paging",
"history"): `meta.versionId` with its ETag, `If-Match`, `If-None-Match`, `_count` with links to the next page, `_history`,
410 for a resource that was deleted.

The first part of a path is a database of its own, which each test makes by its name. Argument: a port."""

import datetime
import os
import sqlite3
import sys
import threading
import urllib.parse
import uuid

os.environ["FHIR_SEQUENCE"] = "R4B"

import uvicorn  # noqa: E402
from fastapi import FastAPI, Response  # noqa: E402
from fhir.resources.R4B.bundle import Bundle  # noqa: E402
from fhir.resources.R4B.patient import Patient  # noqa: E402
from fhirstarter import FHIRProvider, FHIRStarter, InteractionContext, Request  # noqa: E402
from fhirstarter.exceptions import (  # noqa: E402
    FHIRBadRequestError,
    FHIRGoneError,
    FHIRPreconditionFailedError,
    FHIRResourceNotFoundError,
)

PAGE = 10


class Database:
    def __init__(self):
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        # All versions of all patients; a version without a body is a deletion.
        self.connection.execute(
            """CREATE TABLE versions
                 (number INTEGER PRIMARY KEY, id TEXT, version INTEGER, time TEXT, body TEXT, UNIQUE (id, version))""")

    def last(self, id_):
        found = self.connection.execute("SELECT * FROM versions WHERE id = ? ORDER BY version DESC LIMIT 1", [id_])
        return found.fetchone()

    def add(self, id_, patient):
        """Writes the next version; without a patient, that it was deleted."""
        known = self.last(id_)
        version = known["version"] + 1 if known else 1
        time = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = None
        if patient:
            patient.id = id_
            content = patient.model_dump(mode="json")
            content["meta"] = {**(content.get("meta") or {}), "versionId": str(version), "lastUpdated": time}
            body = Patient.model_validate(content).model_dump_json()
        self.connection.execute(
            "INSERT INTO versions (id, version, time, body) VALUES (?, ?, ?, ?)", [id_, version, time, body])

    def page(self, after, count):
        return self.connection.execute(
            """SELECT number, id, version, time, body FROM versions v WHERE number > ? AND body IS NOT NULL
                 AND version = (SELECT max(version) FROM versions WHERE id = v.id)
               ORDER BY number LIMIT ?""", [after, count + 1]).fetchall()


databases = {}


def database_of(request):
    name = request.scope["database"]
    # A default of `setdefault` would be made for each request.
    if name not in databases:
        databases[name] = Database()
    return databases[name]


def patient_of(row):
    return Patient.model_validate_json(row["body"])


def tag(row):
    return f'W/"{row["version"]}"'


def show(context, row, is_new=False):
    # fhirstarter makes a response of its own, so these go to `root` beside it.
    fields = context.request.scope["state"]["fields"] = {"ETag": tag(row)}
    if is_new:
        context.request.scope["state"]["status"] = 201
        fields["Location"] = url(context.request, f"Patient/{row['id']}/_history/{row['version']}")
    return patient_of(row)


def check(request, row):
    """`If-Match`: the version must be the last one."""
    wanted = request.headers.get("if-match")
    if wanted and (row is None or row["body"] is None or wanted.removeprefix("W/") != tag(row).removeprefix("W/")):
        raise FHIRPreconditionFailedError("The resource has another version than If-Match names")


def url(request, path, **query):
    base = f"{request.url.scheme}://{request.headers['host']}/{request.scope['database']}/{path}"
    return base + ("?" + urllib.parse.urlencode(query) if query else "")


provider = FHIRProvider()


@provider.read(Patient)
def read(context: InteractionContext, id_: str) -> Patient:
    database = database_of(context.request)
    with database.lock:
        row = database.last(id_)
    if row is None:
        raise FHIRResourceNotFoundError
    if row["body"] is None:
        raise FHIRGoneError("The resource was deleted")
    return show(context, row)


@provider.create(Patient)
def create(context: InteractionContext, resource: Patient) -> Patient:
    database, id_ = database_of(context.request), str(uuid.uuid4())
    with database.lock:
        database.add(id_, resource)
        row = database.last(id_)
    return show(context, row, is_new=True)


@provider.update(Patient)
def update(context: InteractionContext, id_: str, resource: Patient) -> Patient:
    if resource.id != id_:
        raise FHIRBadRequestError("invalid", "The resource has not the id of the URL")
    database = database_of(context.request)
    with database.lock:
        known = database.last(id_)
        check(context.request, known)
        if context.request.headers.get("if-none-match") == "*" and known is not None and known["body"]:
            raise FHIRPreconditionFailedError("The resource exists")
        database.add(id_, resource)
        row = database.last(id_)
    # A client may name the id of a new resource ("Update as Create").
    return show(context, row, is_new=known is None or known["body"] is None)


@provider.delete(Patient)
def delete(context: InteractionContext, id_: str) -> None:
    database = database_of(context.request)
    with database.lock:
        known = database.last(id_)
        check(context.request, known)
        if known is None:
            raise FHIRResourceNotFoundError
        if known["body"] is not None:
            database.add(id_, None)


@provider.search_type(Patient)
def search(context: InteractionContext) -> Bundle:
    request = context.request
    try:
        count, after = int(request.query_params.get("_count", PAGE)), int(request.query_params.get("after", 0))
    except ValueError:
        raise FHIRBadRequestError("invalid", "_count is no number") from None
    database = database_of(request)
    with database.lock:
        rows = database.page(after, count)
    links = [{"relation": "self", "url": url(request, "Patient", _count=count, after=after)}]
    if len(rows) > count:
        links.append(
            {"relation": "next", "url": url(request, "Patient", _count=count, after=rows[count - 1]["number"])})
    entries = [
        {
            "fullUrl": url(request, f"Patient/{row['id']}"),
            "resource": patient_of(row).model_dump(mode="json"),
            "search": {"mode": "match"},
        }
        for row in rows[:count]
    ]
    bundle = {"resourceType": "Bundle", "type": "searchset", "link": links}
    return Bundle.model_validate({**bundle, "entry": entries} if entries else bundle)


application = FHIRStarter(title="Patients")


@application.get("/Patient/_history")
def history(request: Request) -> Response:
    """All changes after a version's number, the newest first, as the specification wants."""
    since = int(request.query_params.get("since", 0))
    database = database_of(request)
    with database.lock:
        rows = database.connection.execute(
            "SELECT * FROM versions WHERE number > ? ORDER BY number DESC", [since]).fetchall()
    entries = []
    for row in rows:
        method = "DELETE" if row["body"] is None else "POST" if row["version"] == 1 else "PUT"
        entry = {
            "fullUrl": url(request, f"Patient/{row['id']}"),
            "request": {"method": method, "url": f"Patient/{row['id']}"},
            "response": {"status": "200", "etag": tag(row), "lastModified": row["time"]},
        }
        if row["body"] is not None:
            entry["resource"] = patient_of(row).model_dump(mode="json")
        entries.append(entry)
    last = rows[0]["number"] if rows else since
    links = [{"relation": "self", "url": url(request, "Patient/_history", since=last)}]
    bundle = {"resourceType": "Bundle", "type": "history", "link": links}
    return Response(
        Bundle.model_validate({**bundle, "entry": entries} if entries else bundle).model_dump_json(),
        media_type="application/fhir+json")


application.add_providers(provider)


async def root(scope, receive, send):
    """Takes the name of the database off the path, and gives responses what the handlers left for them."""
    if scope["type"] != "http":
        return await application(scope, receive, send)
    name, _, rest = scope["path"].lstrip("/").partition("/")
    scope = {**scope, "path": "/" + rest, "raw_path": ("/" + rest).encode(), "database": name, "state": {}}
    # A request's scope is a copy, and its state is shared.
    kept = scope["state"]

    async def answer(message):
        if message["type"] == "http.response.start":
            fields = [(field.encode(), value.encode()) for field, value in kept.get("fields", {}).items()]
            named = {field.lower() for field, _ in fields}
            others = [pair for pair in message["headers"] if pair[0].lower() not in named]
            message = {**message, "status": kept.get("status", message["status"]), "headers": others + fields}
        await send(message)

    await application(scope, receive, answer)


uvicorn.run(root, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
