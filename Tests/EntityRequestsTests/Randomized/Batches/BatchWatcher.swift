import EntityClient
import Observation
import Synchronization

@testable import EntityStore

/// Follows a store as an app does: some live objects of the main context, live queries, and the commits.
@MainActor final class BatchWatcher {
  /// The properties and queries of which observers heard.
  private final class Told: Sendable {
    let names = Mutex<Set<String>>([])
  }

  private struct Query {
    let name: String
    let pks: @MainActor () -> String
  }

  private let store: EntityStore
  private var told = Told()
  private var objects: [any ManagedEntity] = []
  private var queries: [Query] = []
  private var iterator: StoreCommits.Iterator
  private var covered: Int64 = 0

  init(_ store: EntityStore) {
    self.store = store
    iterator = store.commits.makeAsyncIterator()
  }

  private var models: [EntityModel] { store.core.schema.entities.filter { !$0.isLinks } }

  /// Observes up to three more objects of each entity, and the first queries.
  func begin() async throws {
    let models = models
    if queries.isEmpty {
      for model in models.prefix(3) { queries.append(Self.query(model.type, store)) }
    }
    if objects.count < 24 {
      let places = [0, 1, 5]
      let pks = try await store.read { context in
        try models.map { model in try places.map { try BatchSubject.pk(model, $0, context) } }
      }
      for (model, pks) in zip(models, pks) {
        for pk in pks.compactMap(\.self) where !objects.contains(where: { $0._$state.pk == pk }) {
          if let object = try store.main.object(model.id(pk)) { objects.append(object) }
        }
      }
    }
    told = Told()
    let told = told
    for object in objects where !object.isDeleted {
      let model = object._$state.model
      for property in model.properties where !property.isHidden {
        let name = "\(model.name) \(object._$state.pk) \(property.name)"
        withObservationTracking {
          _ = Self.value(of: property, object)
        } onChange: {
          told.names.withLock { _ = $0.insert(name) }
        }
      }
    }
    for query in queries {
      let name = "query of \(query.name)"
      withObservationTracking {
        _ = query.pks()
      } onChange: {
        told.names.withLock { _ = $0.insert(name) }
      }
    }
  }

  private static func query<E: ManagedEntity>(_ type: E.Type, _ store: EntityStore) -> Query {
    let query = LiveQuery(E.all, in: store)
    return Query(name: E.entityName) {
      "\(query.objects.map(\.entityID.pk)) \(query.error.map { "\($0)" } ?? "")"
    }
  }

  private static func value(of property: PropertyModel, _ object: any ManagedEntity) -> Any? {
    (object as Any)[keyPath: property.keyPath]
  }

  /// The news that observers have heard since ``begin()``.
  func heard() -> [String] { told.names.withLock { $0.sorted() } }

  func results() -> [String] { queries.map { "\($0.name): \($0.pks())" } }

  /// The values that the objects show.
  func values() throws -> [String] {
    objects.map { object in
      let model = object._$state.model
      var line = "\(model.name) \(object._$state.pk)"
      if object.isDeleted { return line + " is deleted" }
      line += object.isPlaceholder ? " is a placeholder" : ""
      for property in model.properties where !property.isHidden {
        line += ", \(property.name): "
        let value = Self.value(of: property, object)
        switch property.kind {
        // Sets and dictionaries have no order.
        case .attribute(.json, _): line += "-"
        case .attribute: line += value.map { "\($0)" } ?? "nil"
        case .toOne: line += (value as? any ManagedEntity).map { "\($0._$state.pk)" } ?? "nil"
        case .toMany, .manyToMany: line += "\(((value as? [any ManagedEntity]) ?? []).map { $0._$state.pk })"
        }
      }
      return line
    }
  }

  /// The commits since the last call, each with its changes.
  func commits(upTo generation: Int64) async -> [String] {
    var lines: [String] = []
    // The copy goes on where it was: an actor lends no property to a call that it waits for.
    var iterator = iterator
    defer { self.iterator = iterator }
    while covered < generation, let commit = await iterator.next() {
      covered = max(covered, commit.generations.upperBound)
      lines.append("\(commit)")
      for model in models { lines += Self.lines(commit, model.type) }
    }
    return lines
  }

  private static func lines<E: ManagedEntity>(_ commit: StoreCommit, _ type: E.Type) -> [String] {
    let changes = commit.changes(of: type)
    guard !changes.isEmpty else { return [] }
    let updated = changes.updated.map { "\($0.id.pk) \($0.columns.names)" }
    return [
      "\(E.entityName)\(changes.mayBeAny ? ", any" : ""): inserted \(changes.inserted.map(\.pk)), updated \(updated), "
        + "deleted \(changes.deleted.map(\.pk))"
    ]
  }
}
