/// The table of the notes of local edits. The note of an object that was made here names no property: all of its
/// properties are edits.
///
/// `number` is the generation of the commit with the last edit. It gives edits an order that no clock changes. `made`
/// is the generation of the commit that made the note: an object that was made here has the place of its insertion, also
/// after later edits.
enum EditNotes {
  static let name = "_entity_edits"
  static let table = "main._entity_edits"
  static let create =
    "CREATE TABLE \(table) (entity TEXT NOT NULL, pk INTEGER NOT NULL, property TEXT NOT NULL, base, "
    + "has_base INTEGER NOT NULL, time REAL, number INTEGER NOT NULL DEFAULT 0, made INTEGER NOT NULL DEFAULT 0, "
    + "PRIMARY KEY (entity, pk, property)) WITHOUT ROWID"

  /// The number of objects with pending changes.
  static let count =
    "SELECT (SELECT count(*) FROM (SELECT DISTINCT entity, pk FROM \(table))) "
    + "+ (SELECT count(*) FROM \(Tombstones.table))"
  /// The number of objects with pending changes or entries of the outbox.
  static let countWithEntries =
    "SELECT count(*) FROM (SELECT entity, pk FROM \(table) UNION SELECT entity, pk FROM \(Tombstones.table) "
    + "UNION SELECT entity, pk FROM \(OutboxTable.table))"
  /// A row where any object has pending changes or entries of the outbox.
  static let any =
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM \(table)) OR EXISTS (SELECT 1 FROM \(Tombstones.table)) "
    + "OR EXISTS (SELECT 1 FROM \(OutboxTable.table))"
  static let countOfEntity =
    "SELECT (SELECT count(DISTINCT pk) FROM \(table) WHERE entity = ?) "
    + "+ (SELECT count(*) FROM \(Tombstones.table) WHERE entity = ?)"
}

/// The table of the deletions that the server is yet to hear of. `cause` is the row id of the object whose deletion
/// deleted this one too, and is noted as well; NULL where the object was deleted by itself, or with an object of which the
/// server never heard. `number` is the generation of the commit that deleted the object. `address` is for an object whose
/// URL has other attributes than the uid: a JSON object with their values on the server, as texts by name.
enum Tombstones {
  static let name = "_entity_deletions"
  static let table = "main._entity_deletions"
  static let create = [
    "CREATE TABLE \(table) (entity TEXT NOT NULL, pk INTEGER NOT NULL, uid NOT NULL, time REAL NOT NULL, "
      + "cause INTEGER, address TEXT, number INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (entity, pk)) WITHOUT ROWID",
    "CREATE UNIQUE INDEX main.\"\(name),uid\" ON \(name) (entity, uid)",
    "CREATE INDEX main.\"\(name),cause\" ON \(name) (cause) WHERE cause IS NOT NULL",
  ]
}

/// The table of the entries of the outbox; see `OutboxEntry`. A number is never given twice in a file.
enum OutboxTable {
  static let name = "_entity_outbox"
  static let table = "main._entity_outbox"
  /// The columns but `number`.
  static let columns = [
    "entity", "pk", "uid", "kind", "state", "name", "request", "body", "sent", "key", "attempts", "next", "time",
    "edited", "status", "problem", "answer", "kept",
  ]
  static let create = [
    "CREATE TABLE \(table) (number INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, pk INTEGER NOT NULL, "
      + "uid TEXT, kind INTEGER NOT NULL, state INTEGER NOT NULL, name TEXT, request TEXT, body BLOB, sent TEXT, key TEXT, "
      + "attempts INTEGER NOT NULL DEFAULT 0, next REAL, time REAL NOT NULL, edited INTEGER NOT NULL DEFAULT 0, "
      + "status INTEGER, problem TEXT, answer BLOB, kept TEXT)",
    "CREATE INDEX main.\"\(name),pk\" ON \(name) (entity, pk)",
  ]

  /// The row ids of entries that wait for the update of an object that is not there. A request that may have reached the
  /// server has an entry until its end is known, and a person sees what was refused, or what the server deleted.
  ///
  /// The parameter is the name of the entity.
  static func lost(_ rows: String) -> String {
    "SELECT DISTINCT _entry.pk FROM \(table) AS _entry WHERE _entry.entity = ?1 "
      + "AND _entry.kind = \(OutboxEntry.Kind.update.rawValue) "
      + "AND _entry.state IN (\(OutboxEntry.State.waiting.rawValue), \(OutboxEntry.State.conflict.rawValue)) "
      + "AND NOT EXISTS (SELECT 1 FROM \(rows) AS _row WHERE _row._pk = _entry.pk) "
      + "AND NOT EXISTS (SELECT 1 FROM \(Tombstones.table) AS _note WHERE _note.entity = ?1 AND _note.pk = _entry.pk)"
  }

  /// Whether the note `_edit` is of a command's effect, and not of an edit. The command was added in the commit of its
  /// effect, and nothing else was edited in that commit. A later edit of the property has another number.
  static let isEffect =
    "(_edit.property <> '' AND EXISTS (SELECT 1 FROM \(table) AS _command WHERE _command.entity = _edit.entity "
    + "AND _command.pk = _edit.pk AND _command.kind = \(OutboxEntry.Kind.command.rawValue) "
    + "AND _command.edited = _edit.number))"

  /// Whether the entry `e` waits for a person, as one of a state. The outbox has the same rule: see `ObjectDrafts` and
  /// `OutboxSnapshot` there.
  static func isHeld(as state: OutboxEntry.State) -> String {
    let isOfState = "e.state = \(state.rawValue) AND \(isUnanswered)"
    return state == .refused ? "(\(isOfState) OR \(isRefusedClaim))" : isOfState
  }

  /// `OutboxEntry.isRefusedClaim`: 9e999 is infinity.
  private static let isRefusedClaim =
    "e.state = \(OutboxEntry.State.sending.rawValue) "
    + "AND e.kind IN (\(OutboxEntry.Kind.create.rawValue), \(OutboxEntry.Kind.command.rawValue)) "
    + "AND e.next < 9e999 AND e.next - e.time > \(OutboxEntry.longWait)"

  /// Whether the refusal, the conflict or the gone object of the entry `e` waits for a person.
  private static let isUnanswered =
    "(e.state = \(OutboxEntry.State.gone.rawValue) OR (e.next IS NULL OR e.next - e.time > \(OutboxEntry.longWait)) "
    + "AND (e.kind = \(OutboxEntry.Kind.command.rawValue) OR NOT EXISTS (SELECT 1 FROM \(EditNotes.table) AS _edit WHERE _edit.entity = e.entity AND _edit.pk = e.pk "
    + "AND _edit.number > e.edited AND NOT \(isEffect) AND NOT EXISTS (SELECT 1 FROM \(table) AS _later "
    + "WHERE _later.entity = e.entity AND _later.pk = e.pk AND _later.number > e.number "
    + "AND _later.kind = \(OutboxEntry.Kind.update.rawValue) AND coalesce(_later.request, _later.sent) IS NOT NULL "
    + "AND _later.edited >= _edit.number))))"

  /// The entries whose requests carry edits that the server has, or may have in the end.
  static let claims =
    "state IN (\(OutboxEntry.State.sending.rawValue), \(OutboxEntry.State.waiting.rawValue)) "
    + "AND kind IN (\(OutboxEntry.Kind.create.rawValue), \(OutboxEntry.Kind.update.rawValue))"

  /// The updates that were surely never sent.
  static let unsent =
    "attempts = 0 AND state = \(OutboxEntry.State.waiting.rawValue) AND kind = \(OutboxEntry.Kind.update.rawValue)"

  /// The entries that this version of the package can read, and that an archive has.
  static let archived =
    "kind IN (\(OutboxEntry.Kind.allCases.map { "\($0.rawValue)" }.joined(separator: ", "))) "
    + "AND state IN (\(OutboxEntry.State.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")))"
}

/// The table of the versions that the server gave objects, for requests that hold for one version alone. It is kept for
/// entities whose outbox asks for it.
enum VersionTable {
  static let name = "_entity_versions"
  static let table = "main._entity_versions"
  static let create =
    "CREATE TABLE \(table) (entity TEXT NOT NULL, pk INTEGER NOT NULL, etag TEXT NOT NULL, PRIMARY KEY (entity, pk)) "
    + "WITHOUT ROWID"
}

/// The tables of stored collections; see `CollectionNote`. `is_complete` is 1 where the members are all that the server's
/// pages had. `is_ended` is 1 once the server may have another list, and 2 once the store may lack something of the list.
///
/// Row ids are unique in the file, so that one index finds both the place of a row in a collection and the collections of
/// a row that is deleted. `is_placed` is 1 for an object that was made here and that no answer has had in the list yet.
enum CollectionTables {
  static let name = "_entity_collections"
  static let members = "_entity_members"
  static let table = "main._entity_collections"
  static let memberTable = "main._entity_members"
  static let create = [
    "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, entity TEXT NOT NULL, note TEXT NOT NULL, "
      + "time REAL NOT NULL, is_complete INTEGER NOT NULL DEFAULT 0, is_ended INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE \(memberTable) (collection INTEGER NOT NULL, place INTEGER NOT NULL, pk INTEGER NOT NULL, "
      + "is_placed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (collection, place)) WITHOUT ROWID",
    "CREATE UNIQUE INDEX main.\"\(members),pk\" ON \(members) (pk, collection)",
  ]

  /// Notes once more that the store may lack something of a list; see ``CollectionNote/mark``.
  static let isLacking = "is_ended = max(is_ended + 1, 2)"
  /// A list that begins anew page by page lacks nothing then.
  static let mayLack = "(note <> '' OR is_ended > 1)"

  /// Removes the collections of an entity, with their members.
  static func remove(of entity: String) -> [(sql: String, values: [StoredValue])] {
    [
      (
        "DELETE FROM \(memberTable) WHERE collection IN (SELECT id FROM \(table) WHERE entity = ?1)", [.text(entity)]
      ), ("DELETE FROM \(table) WHERE entity = ?1", [.text(entity)]),
    ]
  }

  /// Whether the row `pk` is a member of one of the collections of a list of keys, which is the first parameter: for
  /// evictions, which leave alone what a screen shows.
  static func isListed(_ pk: String) -> String {
    "EXISTS (SELECT 1 FROM \(memberTable) AS _m JOIN \(table) AS _c ON _c.id = _m.collection WHERE _m.pk = \(pk) "
      + "AND _c.key IN (SELECT value FROM _entity_values(?1)))"
  }

  /// Removes members whose rows are gone from the collections of an entity. An object that is deleted here stays a member until
  /// the server has the deletion.
  static func removeLost(of entity: String) -> String {
    "DELETE FROM \(memberTable) WHERE collection IN (SELECT id FROM \(table) WHERE entity = ?1) "
      + "AND \(isLost(of: entity))"
  }

  /// Whether the row `pk` of an entity is neither there nor deleted here. The first parameter is the name of the entity.
  static func isLost(of entity: String) -> String {
    "(pk NOT IN (SELECT _pk FROM main.\(entity.quoted)) "
      + "AND pk NOT IN (SELECT _note.pk FROM \(Tombstones.table) AS _note WHERE _note.entity = ?1))"
  }
}

/// The table of the notes of answers; see `AnswerNote`. `is_ended` is 1 once the store may lack something of the answer.
enum AnswerNotes {
  static let name = "_entity_answers"
  static let table = "main._entity_answers"
  static let create =
    "CREATE TABLE \(table) (key TEXT NOT NULL UNIQUE, entity TEXT NOT NULL, time REAL NOT NULL, "
    + "is_ended INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL, objects TEXT NOT NULL, parts TEXT)"
}
