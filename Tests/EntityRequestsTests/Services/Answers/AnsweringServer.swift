import EntityClient
import EntityTesting
import Testing

/// A server whose answers stand in `Recordings`, with the declaration that the test of its kind of service has.
struct AnsweringServer: Sendable, CustomTestStringConvertible {
  /// The name of the recording.
  let name: String
  let entities: [any ManagedEntity.Type]
  let baseURL: String
  /// Finds the words of a refusal.
  let verdict: ResponseVerdict
  /// Walks the pages.
  let walk: @Sendable () async throws -> EntityCounts
  /// The uid and the property of each object, in the order of the uids.
  let rows: @Sendable (EntityStore) async throws -> [String]
  /// Reads an object of the list by itself, and gives an edit of it.
  let read: @MainActor @Sendable () async throws -> (counts: EntityCounts, edit: Edit)
  /// Whether the server deletes objects.
  let deletes: Bool
  /// Makes an object with a value of the property.
  let make: @MainActor @Sendable (EntityStore, String) async throws -> Made

  var testDescription: String { name }

  /// The edits of an object whose type the test does not know.
  @MainActor struct Edit {
    let send: @MainActor (String) async throws -> Void
    let value: @MainActor () -> String?
    let hasChanges: @MainActor () -> Bool
  }

  /// An object that the server made.
  @MainActor struct Made {
    /// The uid and the property.
    let row: String
    let hasChanges: Bool
    let delete: @MainActor () async throws -> Void
  }

  /// - Parameters:
  ///   - type: The entity of the list.
  ///   - pages: The walk.
  ///   - object: Reads one object.
  ///   - property: The property to edit.
  ///   - uid: The uid of an object.
  ///   - send: Sends the edit.
  ///   - create: Sends a new object.
  ///   - delete: Deletes an object; `nil` for a server that deletes none.
  init<E: RemoteEntity>(
    _ type: E.Type, _ name: String, _ entities: [any ManagedEntity.Type], baseURL: String, verdict: ResponseVerdict,
    pages: @escaping @Sendable () -> EntityPages<E>, object: @escaping @Sendable () async throws -> EntityResponse<E>,
    property: any ReferenceWritableKeyPath<E, String?> & Sendable, uid: @escaping @Sendable (E) -> String,
    send: @escaping @MainActor @Sendable (E) async throws -> Void,
    create: @escaping @MainActor @Sendable (E) async throws -> Void,
    delete: (@MainActor @Sendable (E) async throws -> Void)? = { try await $0.delete() }
  ) {
    (self.name, self.entities, self.baseURL, self.verdict) = (name, entities, baseURL, verdict)
    walk = { try await pages().all().counts }
    rows = { try await $0.read { try $0.fetch(E.self).map { "\(uid($0)) \($0[keyPath: property] ?? "-")" }.sorted() } }
    read = {
      let response = try await object()
      let found = try #require(try response.object)
      let edit = Edit(
        send: {
          found[keyPath: property] = $0
          try await send(found)
        }, value: { found[keyPath: property] }, hasChanges: { found.hasChanges })
      return (response.counts, edit)
    }
    deletes = delete != nil
    make = { store, value in
      let new: E = try store.main.insert(E.self)
      new[keyPath: property] = value
      try await create(new)
      let row = "\(uid(new)) \(new[keyPath: property] ?? "-")"
      let end: @MainActor () async throws -> Void = { if let delete { try await delete(new) } }
      return Made(row: row, hasChanges: new.hasChanges, delete: end)
    }
  }

  /// Runs `body` with a client whose answers are those of a recording.
  @MainActor func within<R: Sendable>(
    _ recording: RecordingAdapter, _ store: EntityStore, _ body: @MainActor () async throws -> R
  ) async throws -> R {
    let client = try Client(adapter: recording, store: store, baseURL: baseURL, verdict: verdict)
    return try await Client.withClient(client) { try await body() }
  }
}
