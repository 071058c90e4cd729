import EntityJSON
import Foundation

/// The entries of the outbox in an archive, which become entries of another store.
///
/// A claim stays one: its sender is gone, so its end is unknown. The store that restores it sends the same bytes with the
/// same key, or looks the object up, or leaves it to a person.
struct OutboxArchive {
  /// The place of `edited` among the columns.
  static let edited = 13

  /// The statement that writes an entry, with the values of `OutboxTable.columns`.
  static let insert =
    "INSERT INTO \(OutboxTable.table) (\(OutboxTable.columns.map(\.quoted).joined(separator: ", "))) "
    + "VALUES (\(OutboxTable.columns.map { _ in "?" }.joined(separator: ", ")))"

  let names: ArchiveNames
  let rows: ArchivedRows
  /// The number of the commit that restores the archive.
  let last: Int64

  /// The values of a restored entry; `nil` for a line that no archive has.
  ///
  /// - Parameters:
  ///   - values: The values of the line.
  ///   - model: The entity of the object.
  ///   - pk: The new row id of the object.
  func entry(_ values: [StoredValue], _ model: EntityModel, _ pk: Int64) -> [StoredValue]? {
    func isText(_ places: Int...) -> Bool {
      places.allSatisfy { if case .text = values[$0] { true } else { values[$0].isNull } }
    }
    func isData(_ places: Int...) -> Bool {
      places.allSatisfy { if case .blob = values[$0] { true } else { values[$0].isNull } }
    }
    guard values.count == OutboxTable.columns.count, isText(2, 5, 6, 9, 15), isData(7, 16),
      case .integer(let rawKind) = values[3], let kind = OutboxEntry.Kind(rawValue: rawKind),
      case .integer(let rawState) = values[4], OutboxEntry.State(rawValue: rawState) != nil,
      kind != .command || isText(17),
      case .integer(let attempts) = values[10], attempts >= 0, isTime(values[11], orNever: true) || values[11].isNull,
      isTime(values[12]), let edited = ArchivedCommits.number(values[Self.edited], last: last)
    else { return nil }
    if case .integer = values[14] {} else if !values[14].isNull { return nil }
    var entry = values
    (entry[0], entry[1], entry[Self.edited]) = (.text(model.name), .integer(pk), .integer(edited))
    // The arguments of a command are its own, and name no properties.
    for place in kind == .command ? [8] : [8, 17] {
      guard !values[place].isNull else { continue }
      guard case .text(let text) = values[place], let object = try? JSONObject(parsing: Data(text.utf8)) else {
        return nil
      }
      entry[place] = .text(String(decoding: moved(object, model).data(format: .sorted), as: UTF8.self))
    }
    return entry
  }

  private func isTime(_ value: StoredValue, orNever: Bool = false) -> Bool {
    if case .real(let seconds) = value { seconds.isFinite || orNever && seconds == .infinity } else { false }
  }

  // MARK: Properties

  /// The forms of properties, by their present names, with new row ids.
  private func moved(_ properties: JSONObject, _ model: EntityModel) -> JSONObject {
    var fields: [String: JSONValue] = [:]
    for (name, value) in properties {
      // The app may have removed the property.
      let property = names.property(name, of: model)
      fields[property?.name ?? name] = property?.target == nil ? value : moved(value)
    }
    return JSONObject(fields)
  }

  /// A link, or the members of a list, also within the form that a request or a conflict has. A row that the archive can't
  /// have is left out.
  private func moved(_ value: JSONValue) -> JSONValue {
    if let pk = value.int64 { return rows.row(pk).map { JSONValue($0) } ?? nil }
    if let object = value.object {
      var fields: [String: JSONValue] = [:]
      for (key, value) in object {
        let isEmbedded = ["embedded", "removed"].contains(key)
        fields[key] = isEmbedded ? JSONValue(value.array?.compactMap(embedded) ?? []) : moved(value)
      }
      return JSONObject(fields).value
    }
    guard let members = value.array else { return value }
    return JSONValue(members.compactMap { member in member.int64.flatMap(rows.row).map { JSONValue($0) } })
  }

  /// An embedded object, with the properties that a request has of it. It is left out where the app has no such entity any
  /// more.
  private func embedded(_ value: JSONValue) -> JSONValue? {
    guard let name = value["entity"]?.string, let model = try? names.entity(name),
      let pk = value["row"]?.int64.flatMap(rows.row)
    else { return nil }
    let sent = value["sent"]?.object.map { moved($0, model) } ?? JSONObject([String: JSONValue]())
    return ["entity": JSONValue(model.name), "row": JSONValue(pk), "sent": sent.value]
  }
}
