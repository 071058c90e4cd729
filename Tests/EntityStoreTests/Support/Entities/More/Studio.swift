import EntityStore
import Foundation
import Synchronization
import TestSchema

@testable import EntityStore

/// A store of portraits whose statements are noted.
struct Studio: Sendable {
  let store: EntityStore
  let folder: TemporaryFolder
  private let texts: Texts

  private final class Texts: Sendable {
    let all = Mutex<[String]>([])
  }

  static let entities: [any ManagedEntity.Type] = Portrait.world

  init(_ place: Place, _ options: StoreOptions = StoreOptions()) throws {
    folder = try TemporaryFolder()
    let texts = Texts()
    self.texts = texts
    var options = options
    options.log = StoreLog(slowerThan: nil, statements: true) { event in
      if case .statement(let statement) = event { texts.all.withLock { $0.append(statement.sql) } }
    }
    store = try EntityStore(
      place == .file ? .file(folder.file) : .inMemory, entities: Self.entities, busyTimeout: .ample, options: options)
  }

  /// The statements since the last time this was asked that read a lazy value.
  func lazyReads() -> [String] {
    let all = texts.all.withLock { texts in
      defer { texts = [] }
      return texts
    }
    return all.filter { sql in
      // The length of a value stands in the head of its row.
      sql.hasPrefix("SELECT") && !sql.hasPrefix("SELECT length(")
        && (["picture", "story", "layers"].contains { sql.contains("\"\($0)\"") }
          || sql.hasPrefix("SELECT * FROM main.\"Portrait\""))
    }
  }

  /// Portraits that the server knows, with a picture of their number.
  @discardableResult
  func fill(_ count: Int = 1) async throws -> [EntityID<Portrait>] {
    let ids = try await store.background(as: .server) { context in
      let atelier = try context.insert(Atelier.self)
      return try (1...count).map { number in
        let portrait = try context.insert(Portrait.self)
        portrait.uid = number
        portrait.title = "No. \(number)"
        portrait.picture = Self.picture(number)
        portrait.story = "story \(number)"
        portrait.layers = ["sketch", "oil"]
        portrait.atelier = atelier
        return portrait.entityID
      }
    }
    _ = lazyReads()
    return ids
  }

  /// A picture of many pages of the file.
  static func picture(_ number: Int) -> Data { Data(repeating: UInt8(number), count: 100_000) }

  /// Changes a portrait in a unit of its own.
  func change(_ id: EntityID<Portrait>, _ change: @escaping @Sendable (Portrait) -> Void) async throws {
    try await store.background { context in
      if let portrait = try context.object(id) { change(portrait) }
    }
  }

  /// The values of the row.
  func picture(of id: EntityID<Portrait>) async throws -> Data? {
    try await store.read { try $0.object(id)?.picture }
  }
}
