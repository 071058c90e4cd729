import EntityClient
import Foundation

/// Where a contestant keeps its rows.
enum Place: String, Sendable, CaseIterable {
  case file, memory
}

/// A folder for the files of one contestant, gone with this object.
final class Scratch {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var file: URL { folder.appending(path: "users.sqlite") }
}

/// Users of the standard work in one database.
protocol UserRows: AnyObject {
  /// Upserts the users of a response, with their addresses, in one transaction.
  func ingest(_ body: Body) throws
  /// All rows: of each user, in the order of the uids, its values and those of its address.
  func digest() throws -> UInt64
}

/// A response to be ingested.
struct Body: Sendable {
  let data: Data
  /// Whether its users have three keys alone.
  var isPartial = false

  init(_ json: [UInt8], isPartial: Bool = false) {
    data = Data(json)
    self.isPartial = isPartial
  }
}
