import EntityClient
import EntityStore

/// A step of a history, as data: each store of a run goes it, and a shrinker takes parts out.
///
/// Entities and properties are numbers in the schema. Rows are counted by their uids, modulo how many there are, so a step
/// means something in each history.
enum BatchStep: Equatable, Sendable {
  case response(BatchResponse)
  /// A request that is sent now, and answered by a later response with the same number.
  case send(Int, isWrite: Bool)
  case change(BatchChange, BatchPlace)
  case save(overwrites: Bool)
  case discard
  case undo
  case redo
  /// The server's answer to a DELETE.
  case deletion(entity: Int, row: Int)
  /// A PATCH with the pending edits of an object, and its answer.
  case patch(entity: Int, row: Int, answer: BatchNode?)
}

/// Where a change is made: in the main context, or in a unit of the app's or the server's.
enum BatchPlace: Equatable, Sendable { case main, unit, server }

/// A change that an app makes.
enum BatchChange: Equatable, Sendable {
  case set(entity: Int, row: Int, property: Int, StoredValue)
  case link(entity: Int, row: Int, property: Int, target: Int?)
  case list(entity: Int, row: Int, property: Int, members: [Int])
  case insert(entity: Int, property: Int, StoredValue)
  /// An attribute of all objects; the values are given round by round.
  case setAll(entity: Int, property: Int, [StoredValue])
  /// The same by a query, with one value.
  case update(entity: Int, property: Int, StoredValue)
  /// New objects with uids, some of which others may have.
  case fill(entity: Int, uids: [StoredValue], property: Int, StoredValue)
  case delete(entity: Int, row: Int)
  /// An object of a response that the app brings into a context itself.
  case upsert(entity: Int, BatchNode)
}

/// A response with the way it is read.
struct BatchResponse: Equatable, Sendable {
  /// The entity of the response's own objects; `nil` for a document.
  var entity: Int?
  var body: BatchNode
  /// The entities of the parts, each under the key `part` and its number.
  var parts: [Int] = []
  /// The object that the request was made on; `nil` for the collection.
  var subject: Subject?
  /// Whether it leaves a note of the answer.
  var leavesNote = false
  /// The number of a request that was sent before; a request of this moment without one.
  var number: Int?
  var mode = UpsertMode.insertOrUpdate
  var unnamed = UnnamedObjects.refuse
  var overwrites = false
  var skips = false
  var keeps = false
  var isDryRun = false
  var deletesMissing = false
  var reportsUnread = false

  static let partKey = "part"

  enum Subject: Equatable, Sendable {
    /// An object of the response's entity.
    case row(Int)
    /// A relationship of an object.
    case relationship(entity: Int, row: Int, property: Int)
  }

  var isEnveloped: Bool { !parts.isEmpty }

  /// The options that are not those of a plain response.
  var optionNames: [String] {
    var names: [String] = []
    if mode != .insertOrUpdate { names.append("\(mode)") }
    if unnamed != .refuse { names.append("unnamed: \(unnamed)") }
    if overwrites { names.append("overwrites") }
    if skips { names.append("skips") }
    if keeps { names.append("keeps values") }
    if isDryRun { names.append("dry run") }
    if deletesMissing { names.append("deletes missing") }
    if reportsUnread { names.append("reports unread keys") }
    if let subject { names.append("\(subject)") }
    if leavesNote { names.append("leaves a note") }
    if let number { names.append("of request \(number)") }
    return names
  }
}

extension BatchStep {
  /// The step as a line of a failure.
  func text(_ schema: SchemaModel) -> String {
    func name(_ entity: Int) -> String { schema.entities[entity].name }
    func name(_ entity: Int, _ property: Int) -> String { schema.entities[entity].properties[property].name }
    switch self {
    case .response(let response):
      let parts = response.parts.isEmpty ? "" : " and parts of \(response.parts.map(name).joined(separator: ", "))"
      let options = response.optionNames.isEmpty ? "" : " [\(response.optionNames.joined(separator: ", "))]"
      return "response of \(response.entity.map(name) ?? "no objects")\(parts)\(options): \(response.body.json)"
    case .send(let number, let isWrite): return "send request \(number)\(isWrite ? ", a write" : "")"
    case .change(let change, let place):
      switch change {
      case .set(let entity, let row, let property, let value):
        return "\(place): \(name(entity)) #\(row).\(name(entity, property)) = \(value)"
      case .link(let entity, let row, let property, let target):
        return "\(place): \(name(entity)) #\(row).\(name(entity, property)) = \(target.map { "#\($0)" } ?? "nil")"
      case .list(let entity, let row, let property, let members):
        return "\(place): \(name(entity)) #\(row).\(name(entity, property)) = #\(members)"
      case .insert(let entity, let property, let value):
        return "\(place): insert \(name(entity)) with \(name(entity, property)) = \(value)"
      case .setAll(let entity, let property, let values):
        return "\(place): all \(name(entity)).\(name(entity, property)) = \(values)"
      case .update(let entity, let property, let value):
        return "\(place): update all \(name(entity)).\(name(entity, property)) = \(value)"
      case .fill(let entity, let uids, let property, let value):
        return "\(place): insert \(name(entity)) \(uids) with \(name(entity, property)) = \(value)"
      case .delete(let entity, let row): return "\(place): delete \(name(entity)) #\(row)"
      case .upsert(let entity, let node): return "\(place): upsert \(name(entity)) \(node.json)"
      }
    case .save(let overwrites): return overwrites ? "save, overwriting" : "save"
    case .discard: return "discard"
    case .undo: return "undo"
    case .redo: return "redo"
    case .deletion(let entity, let row): return "the server has deleted \(name(entity)) #\(row)"
    case .patch(let entity, let row, let answer):
      return "patch \(name(entity)) #\(row), answered by \(answer?.json ?? "204")"
    }
  }
}
