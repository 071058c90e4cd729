import EntityJSON

/// The entries of the outbox in an archive.
enum OutboxArchive {
  /// The values of a line. The numbers of commits mean nothing to another store: the line says whether the object was
  /// edited after the request was made.
  static let columns =
    "entity, pk, uid, kind, state, name, request, body, sent, key, attempts, next, time, EXISTS (SELECT 1 "
    + "FROM \(EditNotes.table) AS _note WHERE _note.entity = _entry.entity AND _note.pk = _entry.pk "
    + "AND _note.number > _entry.edited), status, problem, answer, kept"

  /// The statement that writes a line, but for its first value: the values are those of `OutboxTable.columns`.
  static let insert =
    "INSERT INTO \(OutboxTable.table) (\(OutboxTable.columns.map(\.quoted).joined(separator: ", "))) "
    + "VALUES (\(OutboxTable.columns.map { _ in "?" }.joined(separator: ", ")))"

  /// The values of a restored entry; `nil` for a line that no archive has.
  ///
  /// - Parameters:
  ///   - values: The values of the line.
  ///   - number: The number of the commit that restores the archive.
  ///   - model: The entity of the object.
  ///   - pk: The new row id of the object.
  ///   - property: The property that has a name in the archive.
  ///   - row: The new row id for one of the archive.
  static func entry(
    _ values: [StoredValue], _ number: Int64, _ model: EntityModel, _ pk: Int64, property: (String) -> PropertyModel?,
    row: (Int64) -> Int64?
  ) -> [StoredValue]? {
    func isText(_ places: Int...) -> Bool {
      places.allSatisfy { if case .text = values[$0] { true } else { values[$0].isNull } }
    }
    func isData(_ places: Int...) -> Bool {
      places.allSatisfy { if case .blob = values[$0] { true } else { values[$0].isNull } }
    }
    guard values.count == OutboxTable.columns.count, isText(2, 5, 6, 9, 15), isData(7, 16),
      case .integer(let rawKind) = values[3], let kind = OutboxEntry.Kind(rawValue: rawKind),
      case .integer(let rawState) = values[4], let state = OutboxEntry.State(rawValue: rawState),
      state != .sending, state != .waiting || kind == .command, kind != .command || isText(17),
      case .integer(let attempts) = values[10], attempts >= 0, isTime(values[11]) || values[11].isNull,
      isTime(values[12]), case .integer(let isEdited) = values[13], [0, 1].contains(isEdited)
    else { return nil }
    if case .integer = values[14] {} else if !values[14].isNull { return nil }
    var entry = values
    (entry[0], entry[1]) = (.text(model.name), .integer(pk))
    entry[13] = .integer(isEdited == 1 ? 0 : number)
    // The arguments of a command are its own, and name no properties.
    for place in kind == .command ? [8] : [8, 17] {
      guard !values[place].isNull else { continue }
      guard case .text(let text) = values[place],
        let moved = OutboxEntry.changing(
          text,
          { name, value in
            // The app may have removed the property.
            guard let property = property(name) else { return (name, value) }
            return (property.name, property.target == nil ? value : moved(value, row))
          })
      else { return nil }
      entry[place] = .text(moved)
    }
    return entry
  }

  private static func isTime(_ value: StoredValue) -> Bool {
    if case .real(let seconds) = value { seconds.isFinite } else { false }
  }

  /// A link, or the members of a list, with new row ids, also within the form that a request or a conflict has. A row that
  /// the archive lacks is gone.
  private static func moved(_ value: JSONValue, _ row: (Int64) -> Int64?) -> JSONValue {
    if let pk = value.int64 { return row(pk).map { JSONValue($0) } ?? nil }
    if let object = value.object {
      // An embedded object has values of its own.
      let fields = object.map { ($0.key, ["embedded", "removed"].contains($0.key) ? $0.value : moved($0.value, row)) }
      return JSONObject(Dictionary(fields) { $1 }).value
    }
    guard let members = value.array else { return value }
    return JSONValue(members.map { member in member.int64.map { row($0).map { JSONValue($0) } ?? nil } ?? member })
  }
}
