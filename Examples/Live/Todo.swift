import EntityClient
import Foundation

/// A thing to do, which several people share.
@Entity final class Todo {
  @UID @Key("id") var uid: Int
  var title: String
  var isDone: Bool
  var createdAt: Date
  /// The server gives each change the next number.
  var version: Int?
}

extension Todo: RemoteEntity {
  static var basePath: String { "todos" }
  /// An event that comes late takes no todo back.
  static var versionAttribute: PartialKeyPath<Todo>? { \.version }
}

extension Todo: OutboxEntity {
  static var outbox: OutboxRules<Todo> {
    [
      .rest,  // POST, PATCH and DELETE, with the edited properties
      .idempotencyKey(),  // a create whose answer was lost is sent again, and makes no second todo
      .ifMatch(.attribute(\.version)),  // the server refuses an edit of an older version
      .merging(.byColumn(.column(\Todo.Columns.title, .fail), others: .mine)),  // two titles: a person decides
    ]
  }
}

extension Todo {
  /// All todos, the oldest first.
  static var list: EntityQuery<Todo> { all.sorted(by: \.createdAt).sorted(by: \.uid) }

  /// Reads all todos. Those that the server does not have any more are deleted here.
  nonisolated(nonsending) static func refresh() async throws -> EntityCounts {
    try await get(options: .deleteMissing(in: all)).counts
  }

  /// The effect of each event of `GET todos/events`.
  static let events: PushRules = [
    .on("changed", do: .upsert(Todo.self)), .on("deleted", do: .delete(Todo.self, at: "id")), .on("ready", do: .ignore),
  ]
}
