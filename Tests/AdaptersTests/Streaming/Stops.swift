import Adapters
import EntityClient
import Foundation

@Entity final class Stop: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  @Unique var code: String?

  static var basePath: String { "stops" }
}

/// A store in a file, and a client of a server.
struct StopPlace: Sendable {
  let folder: URL
  let store: EntityStore
  let client: Client
  private let server: TestServer

  init(_ server: TestServer, _ adapter: any RequestAdapter = CurlAdapter()) throws {
    self.server = server
    folder = FileManager.default.temporaryDirectory.appending(path: "stops-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try EntityStore(.file(folder.appending(path: "stops.sqlite")), entities: [Stop.self])
    client = try Client(adapter: adapter, store: store, baseURL: server.url())
  }

  func end() { try? FileManager.default.removeItem(at: folder) }

  /// The files in the folder besides those of the store.
  var others: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix("stops.sqlite") }
    }
  }

  func count() async throws -> Int { try await store.read { try $0.count(Stop.all) } }

  func names() async throws -> [Int: String] {
    try await store.read { context in
      Dictionary(uniqueKeysWithValues: try context.fetch(Stop.all).map { ($0.uid, $0.name) })
    }
  }

  /// Gets a list by streaming, and gives the error with which that ends.
  func failure(_ streaming: Streaming, _ options: ResponseOptions<Stop> = []) async throws -> RequestError? {
    do {
      _ = try await get(streaming, options)
      return nil
    } catch let error as RequestError {
      return error
    }
  }

  @discardableResult
  func get(_ streaming: Streaming, _ options: ResponseOptions<Stop> = []) async throws -> StreamedResponse<Stop> {
    try await Client.withClient(client) { try await Stop.get(streaming: streaming, options: options) }
  }
}

enum Stops {
  static func json(_ ids: some Sequence<Int>, _ name: String = "a") -> String {
    ids.map { #"{"id": \#($0), "name": "\#(name)\#($0)"}"# }.joined(separator: ",")
  }
}

extension TestConnection {
  static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  /// The head of a response in chunks, once the request is read.
  func begin() throws {
    _ = try readRequest()
    try send(Self.chunked)
  }

  func sendPart(_ text: String) throws { try sendChunk(Array(text.utf8)) }

  func end() throws { try sendChunk([]) }
}

extension TestServer {
  /// Answers every request with a list, in one chunk.
  static func giving(_ text: String, headers: String = "") throws -> TestServer {
    try answering("HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
  }
}
