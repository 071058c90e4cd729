import EntityStore
import Synchronization

/// The statements that a store runs.
final class RunStatements: Sendable {
  private let all = Mutex<[String]>([])

  func add(_ sql: String) { all.withLock { $0.append(sql) } }

  func take() -> [String] {
    all.withLock { all in
      defer { all = [] }
      return all
    }
  }
}

extension EntityStore {
  /// A store in memory whose responses go to the file in batches of that many rows.
  convenience init(
    _ entities: [any ManagedEntity.Type], rowsInBatch: Int, telling statements: RunStatements?
  ) throws {
    var options = StoreOptions()
    options.rowsInBatch = rowsInBatch
    if let statements {
      options.log = StoreLog(slowerThan: nil, statements: true) {
        if case .statement(let statement) = $0 { statements.add(statement.sql) }
      }
    }
    try self.init(.inMemory, entities: entities, busyTimeout: .seconds(60), options: options)
  }
}
