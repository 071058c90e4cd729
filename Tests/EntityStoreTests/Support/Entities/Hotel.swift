import Foundation
import Synchronization
import Testing

@testable import EntityStore

/// A file, or a database in memory, of the first version of an app: it outlasts the stores that have it open.
///
/// It has local edits: of `fullName`, `nickname` and `age` of the first guest, whose list of perks has lost `bar` and got
/// `spa` here.
final class Hotel {
  let folder: TemporaryFolder
  let location: StoreLocation
  let connection: Connection

  init(_ place: Place, isEmpty: Bool = false) async throws {
    folder = try TemporaryFolder()
    location = place == .file ? .file(folder.file) : .inMemory
    if place == .memory {
      // A store in memory ends with its last connection.
      try location.prepare()
      connection = try Connection(location, opening: .making, busyTimeout: .ample)
      if !isEmpty { try await Self.fill(location) }
    } else {
      if !isEmpty { try await Self.fill(location) }
      // Closed by then, so that the file is whole by itself.
      while FileManager.default.fileExists(atPath: folder.file.path + "-wal") { await Task.yield() }
      connection = try Connection(location, opening: .making, busyTimeout: .ample)
    }
  }

  static func fill(_ location: StoreLocation) async throws {
    let store = try EntityStore(location, entities: V1.all, busyTimeout: .ample)
    try await store.background(as: .server) { context in
      let perks = try ["bar", "gym", "spa"].map { name in
        let perk = try context.insert(V1.Perk.self)
        perk.name = name
        return perk
      }
      for uid in 1...3 {
        let guest = try context.insert(V1.Guest.self)
        guest.uid = uid
        guest.fullName = "Guest No\(uid)"
        guest.nickname = uid == 3 ? nil : "n\(uid)"
        guest.code = uid == 2 ? nil : "c\(uid)"
        guest.age = Int32(20 + uid)
        guest.perks = Array(perks.prefix(uid == 1 ? 2 : uid))
        let room = try context.insert(V1.Room.self)
        room.uid = uid
        room.label = "R\(uid)"
        room.owner = guest
        guest.room = room
      }
    }
    try await store.background { context in
      let guest = try #require(try context.fetch(V1.Guest.self, uid: 1))
      guest.fullName = "Ada Lovelace"
      guest.nickname = "ada"
      guest.age = 36
      guest.perks = try context.fetch(V1.Perk.all.sorted(by: \.name)).filter { $0.name != "bar" }
    }
  }

  /// The rows of a query, each as one text.
  func rows(_ sql: String) throws -> [String] {
    let statement = try Statement(sql, on: connection)
    defer { statement.reset() }
    var rows: [String] = []
    while try statement.step() {
      rows.append(statement.columns.indices.map { statement.text($0) ?? "-" }.joined(separator: "|"))
    }
    return rows
  }

  func guests(_ columns: String = "uid, fullName, nickname, code, age, _edited") throws -> [String] {
    try rows("SELECT \(columns) FROM main.Guest ORDER BY 1")
  }

  /// The pairs with their marks, by the names of their tables.
  func pairs(_ list: String, _ owner: String) throws -> [String] {
    try ["", ",removed"].flatMap { suffix in
      try rows(
        "SELECT '\(suffix.isEmpty ? "" : "-")' || o.uid || m.name, p._edited FROM main.\("\(list)\(suffix)".quoted) AS p "
          + "JOIN main.\(owner.quoted) AS o ON o._pk = p.owner JOIN main.Perk AS m ON m._pk = p.member ORDER BY 1")
    }
  }

  /// Whether the file is whole, as the schema that it keeps says, and as the app declares it.
  func check(_ entities: [any ManagedEntity.Type], removed: [String] = [], migrations: [Migration] = []) throws {
    try Self.check(location, entities, removed: removed, migrations: migrations)
  }

  static func check(
    _ location: StoreLocation, _ entities: [any ManagedEntity.Type], removed: [String] = [],
    migrations: [Migration] = []
  ) throws {
    let connection = try Connection(location, busyTimeout: .ample)
    func rows(_ sql: String) throws -> [String] { try connection.rows(sql) { $0.text(0) ?? "" } }
    try #require(try rows("PRAGMA main.integrity_check") == ["ok"])
    try #require(try rows("PRAGMA main.foreign_key_check") == [])
    let schema = try StoredSchema.decode(try rows("SELECT value FROM main._entity_store WHERE key = 'schema'").joined())
    try #require(try StructureCheck(schema: schema, connection: connection).difference() == nil)
    let plan = try EntityStore.migrationPlan(
      for: location, entities: entities, removed: removed, migrations: migrations)
    try #require(plan.isEmpty, "\(plan)")
  }

  /// The names and contents of all files, but for the index of the log and an empty log, which readers make too.
  func bytes() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where !name.hasSuffix("-shm") {
      let data = try Data(contentsOf: folder.url.appendingPathComponent(name))
      if !data.isEmpty { files[name] = data }
    }
    return files
  }

  var backups: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
        .filter { $0.lastPathComponent.contains(".backup-") }
    }
  }
}

/// How often something happened, on whatever threads.
final class CallCounter: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }
  func increment() { count.withLock { $0 += 1 } }
}
