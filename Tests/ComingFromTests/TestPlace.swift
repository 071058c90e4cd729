import EntityClient
import Foundation

enum Place: CaseIterable, Sendable {
  case memory, file

  /// Runs a test with a location for its stores, whose folder is gone afterwards.
  @MainActor func run(_ test: @MainActor (StoreLocation) async throws -> Void) async throws {
    guard self == .file else { return try await test(.inMemory) }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "coming-from-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await test(.file(folder.appending(path: "store.sqlite")))
  }
}
