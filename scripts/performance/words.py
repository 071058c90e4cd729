"""The work of the cases of the benchmarks in words: the parts of a name, put together."""

GROUPS = {
    "parse": "A text of some 33 MB to something whose values can be asked for.",
    "decode": "The same to a `Decodable` type.",
    "ingest": "The bytes of 100,000 users with their addresses, 200,000 rows, to the commit.",
    "ingest.file.responses": "Small responses into a table of 100,000 users; the cost of one response. Ours hands a response over to the writer's "
    "thread; the others are on one thread.",
    "fetch": "Rows to objects, and objects to rows, with 100,000 rows.",
    "context.live": "One commit, and the result of a live query of 20 rows; the rivals have smaller tables.",
    "context.many": "One commit beside 1,000 live queries.",
    "context.memory": "Bytes for each object, beside plain objects of the same values.",
    "context.merge": "The longest turn of the main actor after a commit of as many rows; a budget is the time that this may take.",
    "outbox": "The plan of 10,000 pending changes, until a screen shows it; a budget is the time that this may take.",
    "transport": "Requests over loopback to a server in a process of its own.",
}

PARTS = {
    "ingest": {
        "file": "", "memory": "", "cold": "new", "changed": "each changed", "unchanged": "there as they come",
        "sparse": "one in a hundred changed", "partial": "three keys of each, one changed", "byhand": "an `update(with:)` by hand", "outbox": "beside an outbox",
        "mixed": "that of users alone", "flat": "without addresses", "history": "with a history", "shuffled": "in no order",
        "tenth": "every tenth of the table", "failing": "each changed, and a last element that can't be read",
        "text-uids": "tickets whose uids are texts", "companies": "employees of 100 companies", "lists": "posts in 10,000 lists",
        "unique": "members with a second unique column", "search": "notes with full-text search", "responses": "",
        "1": "1 user in a response", "20": "20 users in a response", "256": "256 users in a response", "median": "the median",
        "p99": "the 99th of 100",
    },
    "fetch": {
        "file": "", "memory": "", "main": "in the main context", "objects": "100,000 objects", "first": "that are new",
        "all-columns": "read in full", "warm": "that are there", "uid": "10,000 found by uid", "save": "10,000 edits saved",
        "history": "with a history", "links": "80,000 links to one of the own entity saved",
    },
    "outbox": {
        "plan": "the first plan", "replan": "one more edit", "linked": "all changes linked with one another",
    },
    "transport": {
        "get": "small GETs", "1": "one at once", "16": "16 at once", "64": "64 at once", "256": "256 at once",
        "down": "64 MiB received", "up": "64 MiB sent", "buffered": "in one piece", "streamed": "piece by piece",
    },
}

CONTESTANTS = [
    ("`c-floor`", "simdjson and prepared statements in C++, on one thread, written for these schemas; in `transport` a loop over libcurl's "
     "multi interface in C"),
    ("`grdb-prepared`", "JSONDecoder and prepared statements of GRDB with the same SQL"),
    ("`grdb-records`", "JSONDecoder and Codable records of GRDB"),
    ("`simdjson, …`", "its DOM, with a parser and a padded text of its own for each run, or with those of the run before"),
    ("`JSONDecoder`, `JSONSerialization`", "those of Foundation"),
    ("`declared`, `without-…`, `to-another`, `ours-…-rows`", "a simpler case of ours: what a way by hand, a history, an outbox, a follower, a link within an entity or a larger table costs"),
    ("`client`", "of ours, too: a client's verb over the adapter, from the request to the decoded value"),
    ("`budget`", "no program: the time that the work may take"),
]


def group(name):
    """The work of a group: the words of the longest name that fits."""
    while name not in GROUPS:
        name, _, rest = name.rpartition(".")
        if not rest:
            return ""
    return GROUPS[name]


def case(name):
    """The work of a case; empty where a part of its name has no words."""
    kind, *parts = name.split(".")
    words = PARTS.get(kind, {})
    if any(part not in words for part in parts):
        return ""
    return ", ".join(words[part] for part in parts if words[part])
