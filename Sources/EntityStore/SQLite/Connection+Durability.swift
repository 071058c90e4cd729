extension Connection {
  /// The settings that decide when a commit is on the disk (https://sqlite.org/pragma.html#pragma_synchronous). On macOS
  /// and iOS, disks report writes that are still in their caches, unless two of the settings ask otherwise. Other systems
  /// ignore these two (https://sqlite.org/pragma.html#pragma_fullfsync).
  struct Durability: Equatable {
    static let full = Durability(synchronous: 2, isFull: 1, isCheckpointFull: 1)

    let synchronous: Int64
    let isFull: Int64
    let isCheckpointFull: Int64
  }

  /// The settings of the connection. SQLite refuses other settings within a transaction.
  var durability: Durability {
    get throws {
      func value(_ name: String) throws -> Int64 { try rows("PRAGMA \(name)") { $0.int64(0) }.first ?? 0 }
      return try Durability(
        synchronous: value("main.synchronous"), isFull: value("fullfsync"),
        isCheckpointFull: value("checkpoint_fullfsync"))
    }
  }

  func set(_ durability: Durability) throws {
    try execute("PRAGMA main.synchronous = \(durability.synchronous)")
    try execute("PRAGMA fullfsync = \(durability.isFull)")
    try execute("PRAGMA checkpoint_fullfsync = \(durability.isCheckpointFull)")
  }

  /// Makes the next commits durable.
  ///
  /// - Returns: The settings before; `nil` where the commits were durable already, and where nothing can be written.
  func makeDurable() throws -> Durability? {
    guard !isReadOnly else { return nil }
    let before = try durability
    guard before.synchronous < Durability.full.synchronous else { return nil }
    do { try set(.full) } catch {
      try? set(before)
      throw error
    }
    return before
  }
}
