import EntityJSON
import EntityRequests
public import EntityStore
public import Foundation

/// An entry of the outbox that a person can look at and settle: a refused change, a request with an unknown end, or a
/// change of an object that the server does not have any more.
public struct OutboxItem: Sendable, Identifiable, Hashable {
  /// The kinds of changes.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    case create, update, deletion, command
  }

  /// The states in which an entry waits for a person.
  public enum State: Sendable, Hashable {
    /// The server refused the change, or no request can be made for it. An edit of the object sends a create or an update
    /// anew. It sends no command, file or deletion anew, and no create whose first request may have arrived: see
    /// ``Outbox/retry(_:)`` and ``Outbox/drop(_:)-(OutboxItem)``.
    case refused
    /// The answer was lost, and nothing tells whether the server has the change. See ``Outbox/confirm(_:_:)``.
    case unknown
    /// A person decides between the value here and the server's.
    case conflict
    /// The server has no such object any more. See ``Outbox/restore(_:)``.
    case gone
  }

  /// The number of the entry, which no other entry of the file ever has.
  public let id: Int64
  public let object: AnyEntityID
  public let action: Action
  /// The names of the properties that a create or an update carries; of one without a request, those that are edited. None for
  /// other changes.
  public let properties: [String]
  /// The name of a command or of an attachment; `nil` for other changes.
  public let command: String?
  /// The file of an attachment; `nil` for other changes.
  public let upload: OutboxUpload?
  public let state: State
  /// The status of the last answer; `nil` where none came.
  public let status: Int?
  /// The reason for a person why the change was not taken. It holds nothing of a body.
  public let reason: String?
  /// The body of the last refusal; `nil` for none, and for one of more than 16 KiB.
  public let body: Data?
  /// The number of times that the change was sent.
  public let attempts: Int
  /// The time at which the entry got its state.
  public let time: Date
  /// The time at which the outbox tries again by itself; `nil` where it does not.
  public let next: Date?

  /// - Parameter edited: The properties of the entry's line in the plan.
  package init(_ entry: OutboxEntry, _ state: State, _ schema: SchemaModel, edited: ColumnMask = ColumnMask()) {
    let model = schema.entities[entry.key.entity]
    (id, object) = (entry.number, model.id(entry.key.pk))
    // The effects of a command are no edits.
    let sent = entry.kind == .command ? [] : OutboxEntry.properties(in: entry.sent)
    properties = (sent.isEmpty ? edited.indices.map { model.properties[$0].name } : sent).sorted()
    action =
      switch entry.kind {
      case .create: .create
      case .update: .update
      case .deletion: .deletion
      case .command: .command
      }
    self.state = state
    command = entry.kind == .command ? entry.name : nil
    upload = OutboxUpload(entry, schema)
    (status, reason, body, attempts) = (entry.status, entry.reason, entry.answer, entry.attempts)
    time = Date(timeIntervalSince1970: entry.time)
    next = entry.next.flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
  }

  /// The body of the last refusal as a type, such as the errors of fields.
  ///
  /// - Parameter type: The type that the body is decoded as, with the keys of the JSON.
  /// - Throws: `DecodingError`; `JSONError` for a body that is not JSON, or none.
  public func model<Model: Decodable>(as type: Model.Type) throws -> Model {
    try JSONValueDecoder().decode(type, from: body ?? Data())
  }
}

extension OutboxItem: CustomStringConvertible {
  /// The object, the change and its state, without values: `Order (row 12): update refused, 422`.
  public var description: String {
    let status = status.map { ", \($0)" } ?? ""
    return "\(object.entityName) (row \(object.pk)): \(action.rawValue) \(state)\(status)"
  }
}

/// The state of one object's changes; see ``OutboxEntity/sendState``.
public enum OutboxSendState: Sendable, Hashable {
  /// Nothing is pending.
  case sent
  /// The changes wait to be sent.
  case waiting
  /// A request is under way.
  case sending
  /// The server refused the changes, or no request can be made for them.
  case refused(OutboxItem)
  /// Nothing tells whether the server has the changes.
  case unknown(OutboxItem)
  /// A person decides between the values here and the server's.
  case conflict(OutboxItem)
  /// The server has no such object any more.
  case gone(OutboxItem)
  /// The changes wait for entries of other objects, which a person settles.
  case blocked(by: [OutboxItem])
}
