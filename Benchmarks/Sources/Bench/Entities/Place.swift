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

/// Rows that come from responses, in one database.
protocol IngestedRows: AnyObject {
  /// Upserts the objects of a response, with those nested in them, in one transaction.
  func ingest(_ body: Body) throws
  /// Does the same for one response after the other, and returns the cost of each.
  func ingest(each bodies: [Body]) throws -> [Cost]
  /// All rows: in the order of the uids, the values of each and those that belong to it.
  func digest() throws -> UInt64
}

extension IngestedRows {
  func ingest(each bodies: [Body]) throws -> [Cost] {
    try bodies.map { body in try Cost.of { try ingest(body) } }
  }

  /// Has a response refused, whose last element nobody can read.
  func refuse(_ body: Body) throws {
    do { try ingest(body) } catch { return }
    throw ContestError(description: "An element was taken that nobody can read.")
  }
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

  /// The same, with one element more that nobody can read.
  var withUnreadableEnd: Body {
    var json = Array(data.dropLast())
    json.add(",{\"id\":\(Int32.max),\"age\":\"none\"}]")
    return Body(json)
  }
}
