import EntityClient
import Foundation

/// A tally of the random test of local edits: a number that is counted up, and texts that are set.
@Entity final class Tally: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var note: String?
  var count: Int

  static var basePath: String { "tallies" }
}

enum TallyField: String, CaseIterable, Sendable { case name, note, count }

extension Tally {
  /// The value as text; a dash stands for none.
  func text(_ field: TallyField) -> String {
    switch field {
    case .name: name
    case .note: note ?? "-"
    case .count: String(count)
    }
  }

  func set(_ field: TallyField, _ text: String) {
    switch field {
    case .name: name = text
    case .note: note = text == "-" ? nil : text
    case .count: count = Int(text) ?? 0
    }
  }
}

/// A server of tallies: a plain dictionary, and the ids of those that are gone.
struct SyncServer {
  private(set) var tallies: [Int: [TallyField: String]] = [:]
  private var lastID = 0

  mutating func create(_ fields: JSONObject) -> Int {
    lastID += 1
    tallies[lastID] = [.name: "", .note: "-", .count: "0"]
    set(lastID, fields)
    return lastID
  }

  mutating func set(_ id: Int, _ fields: JSONObject) {
    guard tallies[id] != nil else { return }
    if let name = fields["name"]?.string { tallies[id]?[.name] = name }
    if let note = fields["note"] { tallies[id]?[.note] = note.string ?? "-" }
    if let count = fields["count"]?.int64 { tallies[id]?[.count] = String(count) }
  }

  mutating func delete(_ id: Int) { tallies[id] = nil }

  /// - Parameter style: What the server chooses: how much the answer has, and how it says that an object is gone.
  mutating func serve(_ request: ModelAdapter.Request, style: Int) -> ModelServer.Answer {
    guard let id = request.id else {
      guard request.method == .post else { return .init(body: JSONValue(tallies.keys.sorted().map(object))) }
      return answer(create(request.body?.object ?? JSONObject(fields: [])), style == 3 ? 1 : style)
    }
    guard tallies[id] != nil else { return .init(status: style % 2 == 0 ? 404 : 410) }
    switch request.method {
    case .get: return answer(id, 0)
    case .delete:
      delete(id)
      return .init(status: 204)
    default:
      set(id, request.body?.object ?? JSONObject(fields: []))
      return answer(id, style)
    }
  }

  private func answer(_ id: Int, _ style: Int) -> ModelServer.Answer {
    switch style {
    case 1: .init(body: ["id": JSONValue(id)], id: id)
    case 2: .init(body: ["id": JSONValue(id), "name": JSONValue(tallies[id]?[.name] ?? "")], id: id)
    case 3: .init(status: 204, id: id)
    default: .init(body: object(id), id: id)
    }
  }

  private func object(_ id: Int) -> JSONValue {
    let note = tallies[id]?[.note] ?? "-"
    return [
      "id": JSONValue(id), "name": JSONValue(tallies[id]?[.name] ?? ""),
      "note": note == "-" ? nil : JSONValue(note), "count": JSONValue(tallies[id]?[.count].flatMap { Int($0) } ?? 0),
    ]
  }
}
