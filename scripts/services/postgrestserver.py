"""An API over a database as PostgREST 13 serves one (https://docs.postgrest.org, "API", "Errors"), for scripts/integration:
no registry has PostgREST itself. The database is SQLite's, and its errors are told with the codes of PostgreSQL.

Of the documentation it has horizontal filters with eq, neq, gt, gte, lt, lte, like, in and is, and their `not.`; `select`,
`order`, `limit` and `offset`; `Range` and `Content-Range`; `Prefer` with return, count, resolution and missing;
`application/vnd.pgrst.object+json`; POST, PATCH, PUT and DELETE; schemas by `Accept-Profile` and `Content-Profile`. It has no
embedding and no functions.

Each schema has the same tables, and is made when it is first named: each test has one of its own. Argument: a port."""

import json
import re
import sqlite3
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SCHEMA = """
CREATE TABLE residents (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, email TEXT UNIQUE,
  age INTEGER, version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE letters (id INTEGER PRIMARY KEY AUTOINCREMENT, number TEXT NOT NULL UNIQUE, text TEXT,
  author_id INTEGER REFERENCES residents) STRICT;
CREATE TRIGGER resident_version AFTER UPDATE OF name, email, age ON residents
  BEGIN UPDATE residents SET version = old.version + 1 WHERE id = new.id; END;
"""
OPERATORS = {"eq": "=", "neq": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "like": "LIKE"}
SINGULAR = "application/vnd.pgrst.object+json"


class Refusal(Exception):
    """An error as PostgREST writes it."""

    def __init__(self, status, code, message, details=None, hint=None):
        self.status = status
        self.body = {"code": code, "details": details, "hint": hint, "message": message}


class Database:
    def __init__(self):
        self.lock = threading.Lock()
        self.connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript("PRAGMA foreign_keys = ON;" + SCHEMA)

    def columns(self, table):
        rows = self.connection.execute("SELECT name, type FROM pragma_table_info(?)", [table])
        found = {row["name"]: row["type"] for row in rows}
        if not found or table.startswith("sqlite_"):
            raise Refusal(404, "PGRST205", f"Could not find the table 'public.{table}' in the schema cache")
        return found

    def run(self, sql, values=()):
        try:
            return self.connection.execute(sql, values).fetchall()
        except sqlite3.IntegrityError as error:
            kind, _, name = str(error).partition(" constraint failed: ")
            if kind == "UNIQUE":
                key = name.replace(".", "_") + "_key"
                raise Refusal(409, "23505", f'duplicate key value violates unique constraint "{key}"') from None
            if kind == "NOT NULL":
                column = name.rpartition(".")[2]
                raise Refusal(
                    400, "23502", f'null value in column "{column}" violates not-null constraint') from None
            if str(error).startswith("FOREIGN KEY"):
                raise Refusal(409, "23503", "insert or update violates a foreign key constraint") from None
            raise Refusal(400, "22P02", f"invalid input syntax: {error}") from None


databases, databases_lock = {}, threading.Lock()


def quoted(name, columns, table):
    if name not in columns:
        raise Refusal(400, "42703", f"column {table}.{name} does not exist")
    return f'"{name}"'


def value_of(text, column, columns):
    if columns[column] != "INTEGER":
        return text
    if not re.fullmatch(r"-?\d{1,18}", text):
        raise Refusal(400, "22P02", f'invalid input syntax for type integer: "{text}"')
    return int(text)


def condition(name, text, columns, table):
    """One horizontal filter: `not.eq.5`, `in.(1,2)`, `is.null`."""
    column, negates = quoted(name, columns, table), False
    if text.startswith("not."):
        negates, text = True, text[4:]
    operator, dot, operand = text.partition(".")
    if dot and operator == "is" and operand in ("null", "true", "false"):
        sql, values = f"{column} IS {operand.upper()}", []
    elif dot and operator == "in" and operand[:1] == "(" and operand[-1:] == ")":
        parts = [part.strip('"') for part in re.findall(r'"[^"]*"|[^,]+', operand[1:-1])]
        values = [value_of(part, name, columns) for part in parts]
        sql = f"{column} IN ({', '.join('?' * len(values))})"
    elif dot and operator in OPERATORS:
        pattern = operand.replace("*", "%") if operator == "like" else operand
        sql, values = f"{column} {OPERATORS[operator]} ?", [value_of(pattern, name, columns)]
    else:
        raise Refusal(
            400, "PGRST100", f'"failed to parse filter ({text})" (line 1, column 1)',
            f'unexpected "{text[:1]}" expecting "not" or operator (eq, gt, ...)')
    return (f"NOT ({sql})" if negates else sql), values


class Query:
    """The parameters of a URL."""

    RESERVED = ("select", "order", "limit", "offset", "columns", "on_conflict")

    def __init__(self, text, columns, table):
        self.parameters = urllib.parse.parse_qsl(text, keep_blank_values=True)
        named = dict(self.parameters)
        self.columns, self.table, conditions, self.values = columns, table, [], []
        for name, value in self.parameters:
            if name not in self.RESERVED:
                sql, values = condition(name, value, columns, table)
                conditions.append(sql)
                self.values += values
        self.filters = [pair for pair in self.parameters if pair[0] not in self.RESERVED]
        self.where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        chosen = named.get("select", "*")
        names = list(columns) if chosen == "*" else [part.strip() for part in chosen.split(",")]
        self.select = ", ".join(quoted(name, columns, table) for name in names)
        self.order = self.order_of(named["order"]) if named.get("order") else ""
        self.limit, self.offset = self.number(named, "limit"), self.number(named, "offset") or 0
        self.on_conflict = named.get("on_conflict", "id")

    def order_of(self, text):
        terms = []
        for term in text.split(","):
            name, *options = term.split(".")
            sql = quoted(name, self.columns, self.table)
            for option in options:
                words = {"asc": " ASC", "desc": " DESC", "nullsfirst": " NULLS FIRST", "nullslast": " NULLS LAST"}
                if option not in words:
                    raise Refusal(400, "PGRST100", f'"failed to parse order ({text})" (line 1, column 1)')
                sql += words[option]
            terms.append(sql)
        return " ORDER BY " + ", ".join(terms)

    @staticmethod
    def number(named, name):
        if name not in named:
            return None
        if not named[name].isdecimal():
            raise Refusal(400, "PGRST100", f'"failed to parse {name} parameter ({named[name]})" (line 1, column 1)')
        return int(named[name])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.serve(self.read)

    def do_HEAD(self):
        self.serve(self.read)

    def do_POST(self):
        self.serve(self.insert)

    def do_PATCH(self):
        self.serve(self.update)

    def do_PUT(self):
        self.serve(self.put)

    def do_DELETE(self):
        self.serve(self.delete)

    # The way of a request

    def serve(self, act):
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.applied = []
        try:
            url = urllib.parse.urlsplit(self.path)
            self.table = url.path.strip("/")
            if not self.table:
                return self.answer(200, {"swagger": "2.0", "info": {"title": "PostgREST API"}})
            if "/" in self.table:
                raise Refusal(404, "PGRST125", "Invalid path specified in request URL")
            profile = "Accept-Profile" if self.command in ("GET", "HEAD") else "Content-Profile"
            with databases_lock:
                name = self.headers.get(profile, "public")
                # A default of `setdefault` would be made for each request.
                if name not in databases:
                    databases[name] = Database()
                database = databases[name]
            with database.lock:
                self.database = database
                self.columns = database.columns(self.table)
                self.query = Query(url.query, self.columns, self.table)
                # One request is one transaction.
                database.run("BEGIN")
                try:
                    answer = act()
                except BaseException:
                    database.run("ROLLBACK")
                    raise
                database.run("COMMIT")
            self.answer(*answer)
        except Refusal as refusal:
            self.answer(refusal.status, refusal.body, getattr(refusal, "headers", {}), "application/json")

    def preferences(self):
        return [part.strip() for line in self.headers.get_all("Prefer", []) for part in line.split(",")]

    def prefers(self, name, *known):
        for part in self.preferences():
            key, _, value = part.partition("=")
            if key == name and value in known:
                self.applied.append(part)
                return value
        return None

    def answer(self, status, body=None, headers={}, kind=None):
        singular = SINGULAR in self.headers.get("Accept", "")
        data = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", (kind or (SINGULAR if singular else "application/json")) + "; charset=utf-8")
        for name, value in headers.items():
            self.send_header(name, value)
        if self.applied:
            self.send_header("Preference-Applied", ", ".join(self.applied))
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def rows(self, found):
        """The rows as a list, or as one object where that is asked for."""
        rows = [dict(row) for row in found]
        if SINGULAR not in self.headers.get("Accept", ""):
            return rows
        if len(rows) != 1:
            raise Refusal(
                406, "PGRST116", "Cannot coerce the result to a single JSON object",
                f"The result contains {len(rows)} rows")
        return rows[0]

    # GET

    def read(self):
        query, total = self.query, None
        offset, limit = query.offset, query.limit
        asked = re.fullmatch(r"(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked and self.command == "GET":
            first = int(asked[1])
            if asked[2] and int(asked[2]) < first:
                raise Refusal(
                    416, "PGRST103", "Requested range not satisfiable",
                    "The lower boundary must be lower than or equal to the upper boundary in the Range header.")
            count = int(asked[2]) - first + 1 if asked[2] else None
            offset += first
            limit = count if limit is None else limit if count is None else min(limit, count)
        if self.prefers("count", "exact", "planned", "estimated"):
            total = self.database.run(f"SELECT count(*) FROM {self.table}{query.where}", query.values)[0][0]
            if offset > total or (offset == total > 0):
                refusal = Refusal(
                    416, "PGRST103", "Requested range not satisfiable",
                    f"An offset of {offset} was requested, but there are only {total} rows.")
                refusal.headers = {"Content-Range": f"*/{total}"}
                raise refusal
        found = self.database.run(
            f"SELECT {query.select} FROM {self.table}{query.where}{query.order} LIMIT ? OFFSET ?",
            query.values + [-1 if limit is None else limit, offset])
        place = f"{offset}-{offset + len(found) - 1}" if found else "*"
        partial = total is not None and len(found) < total
        headers = {"Content-Range": f"{place}/{'*' if total is None else total}"}
        return (206 if partial else 200), self.rows(found), headers

    # POST, PATCH, PUT, DELETE

    def content(self):
        try:
            value = json.loads(self.body)
        except ValueError:
            raise Refusal(400, "PGRST102", "Empty or invalid json") from None
        objects = value if isinstance(value, list) else [value]
        if not all(isinstance(each, dict) for each in objects):
            raise Refusal(400, "PGRST102", "Empty or invalid json")
        if any(each.keys() != objects[0].keys() for each in objects):
            raise Refusal(400, "PGRST102", "All object keys must match")
        for name in objects[0] if objects else []:
            if name not in self.columns:
                raise Refusal(
                    400, "PGRST204", f"Could not find the '{name}' column of '{self.table}' in the schema cache")
        return objects

    def insert(self):
        merges = self.prefers("resolution", "merge-duplicates", "ignore-duplicates")
        ids = [self.insert_one(each, merges) for each in self.content()]
        return self.written(201, [each for each in ids if each is not None])

    def insert_one(self, content, resolution=None):
        names = list(content)
        columns = ", ".join(f'"{name}"' for name in names)
        sql = f"INSERT INTO {self.table} " + (
            f"({columns}) VALUES ({', '.join('?' * len(names))})" if names else "DEFAULT VALUES")
        if resolution:
            on = quoted(self.query.on_conflict, self.columns, self.table)
            sets = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name != self.query.on_conflict)
            sql += f" ON CONFLICT ({on}) DO " + (
                f"UPDATE SET {sets}" if resolution == "merge-duplicates" and sets else "NOTHING")
        found = self.database.run(sql + " RETURNING id", list(content.values()))
        return found[0]["id"] if found else None

    def update(self):
        contents = self.content()
        rows = self.database.run(f"SELECT id FROM {self.table}{self.query.where}", self.query.values)
        found = [row["id"] for row in rows]
        sets = contents[0] if contents else {}
        if sets and found:
            terms = ", ".join(quoted(name, self.columns, self.table) + " = ?" for name in sets)
            self.database.run(
                f"UPDATE {self.table} SET {terms}{self.query.where}", list(sets.values()) + self.query.values)
        return self.written(200, found)

    def put(self):
        key = self.query.filters
        if len(key) != 1 or key[0][0] != "id" or not key[0][1].startswith("eq."):
            raise Refusal(
                405, "PGRST105", "Filters must include all and only primary key columns with 'eq' operators")
        contents = self.content()
        if len(contents) != 1 or str(contents[0].get("id")) != key[0][1][3:]:
            raise Refusal(400, "PGRST115", "Payload values do not match URL in primary key column(s)")
        is_new = not self.database.run(f"SELECT 1 FROM {self.table}{self.query.where}", self.query.values)
        self.insert_one(contents[0], "merge-duplicates")
        return self.written(201 if is_new else 200, [contents[0]["id"]])

    def delete(self):
        found = self.database.run(
            f"SELECT id, {self.query.select} FROM {self.table}{self.query.where}", self.query.values)
        self.database.run(f"DELETE FROM {self.table}{self.query.where}", self.query.values)
        if self.prefers("return", "representation"):
            return 200, self.rows(found), {"Content-Range": "*/*"}
        return 204, None, {"Content-Range": "*/*"}

    def written(self, status, ids):
        """The answer to a write, as `Prefer` asks for it."""
        wanted = self.prefers("return", "representation", "headers-only", "minimal")
        headers = {"Content-Range": f"0-{len(ids) - 1}/*" if ids and self.command == "PATCH" else "*/*"}
        if wanted == "headers-only" and len(ids) == 1:
            headers["Location"] = f"/{self.table}?id=eq.{ids[0]}"
        if wanted == "representation":
            marks = ", ".join("?" * len(ids))
            found = self.database.run(
                f"SELECT {self.query.select} FROM {self.table} WHERE id IN ({marks}) ORDER BY id", ids)
            return status, self.rows(found), headers
        return (201 if status == 201 else 204), None, headers


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
