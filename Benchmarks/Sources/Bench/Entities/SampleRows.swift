import EntityClient
import Foundation
import GRDB

/// Objects of one entity in a store of ours, in a file.
final class SampleRows<Root: RemoteEntity>: IngestedRows {
  let store: EntityStore
  private let scratch: Scratch
  private let tables: Tables

  init(_ tables: Tables) throws {
    scratch = try Scratch()
    store = try EntityStore(.file(scratch.file), entities: tables.entities)
    self.tables = tables
  }

  func ingest(_ body: Body) throws {
    let (store, data) = (store, body.data)
    _ = try wait { try await Root.upsert(from: data, in: store).counts }
  }

  func digest() throws -> UInt64 { try DatabaseQueue(path: scratch.file.path).read { try $0.digest(of: tables) } }
}
