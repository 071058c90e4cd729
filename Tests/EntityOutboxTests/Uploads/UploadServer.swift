import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import Synchronization
import Testing

@testable import EntityOutbox

/// A service of albums with places for files: PUT and POST of whole files, tus 1.0, and sessions with `Content-Range`.
final class UploadServer: RequestAdapter {
  enum Fault: Sendable {
    /// The server takes these bytes of the body, and the connection breaks.
    case takes(Int)
    /// The server acts, and its answer is lost.
    case losesAnswer
    case status(Int)
    /// The server forgets all uploads that are not complete.
    case forgets
  }

  struct Upload: Sendable {
    var length: Int
    var data = Data()
    var metadata = ""
    var isForgotten = false
  }

  struct State {
    /// The complete files, by the paths of whole uploads, or the URLs of others.
    var files: [String: [Data]] = [:]
    var uploads: [String: Upload] = [:]
    var log: [String] = []
    var headers: [[String: String]] = []
    var bodies: [Data] = []
    /// The faults of the next uploading requests, by method.
    var faults: [(method: String, fault: Fault)] = []
    var keys: Set<String> = []
    var gate: (method: String, gate: StubGate)?
    /// The beginning of the URLs of uploads.
    var place = "/files/"
    var isOffline = false
    /// The body of the last answer of an upload.
    var answer = ""
    var largest = 0
  }

  let shop = ShopServer()
  let state = Mutex(State())

  var log: [String] { state.withLock(\.log) }
  var files: [String: [Data]] { state.withLock(\.files) }
  var complete: [Data] { state.withLock { $0.uploads.values.filter { $0.data.count == $0.length }.map(\.data) } }

  func fail(_ method: String, _ faults: Fault...) {
    state.withLock { state in for fault in faults { state.faults.append((method, fault)) } }
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let path = request.url?.path(percentEncoded: false) ?? ""
    guard path.hasPrefix("/files") || path.split(separator: "/").count > 2 else {
      if state.withLock(\.isOffline) { throw TransportError(.connection, "offline", mayHaveBeenProcessed: false) }
      state.withLock { $0.log.append("\(request.httpMethod ?? "") \(path)") }
      return try await shop.send(request, body: body, progress: progress)
    }
    var data = Data()
    switch body {
    case .data(let sent): data = sent
    case .file(let file): data = try Data(contentsOf: file)
    case .stream(let stream):
      let read = try stream.open()
      while let piece = try await read() { data += piece }
    case .none: break
    }
    progress?(TransferProgress(bytesSent: Int64(data.count), bytesToSend: Int64(data.count)))
    let (result, gate) = try state.withLock { try Self.take(request, path, data, &$0) }
    if let gate { try await gate.wait() }
    return try result.get()
  }

  private static func take(
    _ request: URLRequest, _ path: String, _ body: Data, _ state: inout State
  ) throws -> (Result<HTTPResponse, TransportError>, StubGate?) {
    guard !state.isOffline else { throw TransportError(.connection, "offline", mayHaveBeenProcessed: false) }
    let method = request.httpMethod ?? ""
    state.log.append("\(method) \(path)")
    state.headers.append(request.allHTTPHeaderFields ?? [:])
    state.bodies.append(body)
    state.largest = max(state.largest, body.count)
    var gate: StubGate?
    if let held = state.gate, held.method == method { (gate, state.gate) = (held.gate, nil) }
    guard let index = state.faults.firstIndex(where: { $0.method == method }) else {
      return (.success(act(request, path, body, &state)), gate)
    }
    let lost = TransportError(.timeout, "lost", mayHaveBeenProcessed: true)
    switch state.faults.remove(at: index).fault {
    case .takes(let count):
      if state.uploads[path] != nil { _ = act(request, path, body.prefix(count), &state) }
      return (.failure(lost), gate)
    case .losesAnswer:
      _ = act(request, path, body, &state)
      return (.failure(lost), gate)
    case .status(let status): return (.success(HTTPResponse(status: status, headers: [:], url: request.url)), gate)
    case .forgets:
      for (path, upload) in state.uploads where upload.data.count < upload.length {
        state.uploads[path]?.isForgotten = true
      }
      return (.success(act(request, path, body, &state)), gate)
    }
  }

  private static func act(_ request: URLRequest, _ path: String, _ body: Data, _ state: inout State) -> HTTPResponse {
    func answer(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") -> HTTPResponse {
      var all: HTTPHeaders = [:]
      for (name, value) in headers { all[name] = value }
      if !body.isEmpty { all["Content-Type"] = "application/json" }
      return HTTPResponse(status: status, headers: all, url: request.url, body: Data(body.utf8))
    }
    func header(_ name: String) -> String? { request.value(forHTTPHeaderField: name) }
    if let key = header("Idempotency-Key"), !state.keys.insert(key).inserted { return answer(200) }
    if let length = header("Upload-Length") ?? header("X-Upload-Content-Length") {
      let place = "/files/\(state.uploads.count + 1)"
      state.uploads[place] = Upload(length: Int(length) ?? 0, metadata: header("Upload-Metadata") ?? "")
      return answer(201, ["Location": state.place + String(state.uploads.count), "Tus-Resumable": "1.0.0"])
    }
    guard path.hasPrefix("/files/") else {
      state.files[path, default: []].append(body)
      return answer(200, [:], state.answer)
    }
    guard var upload = state.uploads[path], !upload.isForgotten else { return answer(404) }
    if request.httpMethod == "HEAD" { return answer(200, ["Upload-Offset": String(upload.data.count)]) }
    if let offset = header("Upload-Offset") {
      guard Int(offset) == upload.data.count else { return answer(409) }
      upload.data += body
      state.uploads[path] = upload
      return answer(204, ["Upload-Offset": String(upload.data.count)])
    }
    let range = header("Content-Range") ?? ""
    if !range.hasPrefix("bytes */") {
      let start = Int(range.dropFirst(6).prefix { $0 != "-" }) ?? -1
      if start == upload.data.count { upload.data += body }
      state.uploads[path] = upload
    }
    guard upload.data.count < upload.length else { return answer(201, [:], state.answer) }
    return answer(308, upload.data.isEmpty ? [:] : ["Range": "bytes=0-\(upload.data.count - 1)"])
  }
}

/// A store with albums, the server, and the outbox between them.
struct UploadScene {
  let server: UploadServer
  let store: EntityStore
  let client: Client
  let clock = VirtualClock()
  let outbox: Outbox
  let folder: TestFolder

  init(
    _ folder: TestFolder? = nil, _ server: UploadServer = UploadServer(), inMemory: Bool = false,
    verdict: ResponseVerdict? = nil
  ) throws {
    let folder = try folder ?? TestFolder()
    self.folder = folder
    self.server = server
    let location: StoreLocation = inMemory ? .inMemory : .file(folder.file("a.sqlite"))
    store = try EntityStore(location, entities: albumEntities)
    client = try Client(
      adapter: server, store: store, baseURL: "https://api.example.com/", headers: ["Authorization": "Bearer secret"],
      verdict: verdict)
    outbox = try Outbox(client, time: OutboxTime(clock))
  }

  /// The names of the copies beside the store.
  var copies: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.file("a.sqlite-attachments").path)) ?? []
  }

  func copy() throws -> URL {
    folder.file("a.sqlite-attachments").appending(path: try #require(copies.first))
  }

  func album() async throws -> EntityID<Album> {
    try await store.background { try $0.make(Album.self) { $0.title = "Oslo" }.entityID }
  }

  /// A file of some bytes, none of which is like the next.
  func file(_ count: Int, _ name: String = "oslo.jpg") throws -> (url: URL, data: Data) {
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })
    try data.write(to: folder.file(name))
    return (folder.file(name), data)
  }

  /// Passes with half a minute between them.
  func send(passes: Int) async throws {
    for _ in 0..<passes {
      try await outbox.send()
      clock.advance(by: .seconds(31))
    }
  }
}

@Entity final class Album: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var cover: String?

  static var basePath: String { "albums" }
  static var outbox: OutboxRules<Album> {
    [
      .rest,
      .attachment("cover", .put("cover")),
      .attachment("print", .post("prints").ignoringAnswer),
      .attachment("scan", .tus("/files", pieceSize: 1000, fields: { ["album": "\($0.uid)"] })),
      .attachment("film", .contentRange("/files", pieceSize: 1000, fields: { ["name": $0.title] })),
      .attachment("far", .tus("/files", pieceSize: 1000, allowing: .otherOrigins)),
      .command(Press.self),
    ]
  }
}

/// A service that knows requests by keys.
@Entity final class Poster: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String

  static var basePath: String { "posters" }
  static var outbox: OutboxRules<Poster> {
    [.idempotencyKey(), .attachment("sheet", .form("sheets", field: "sheet", fields: { ["title": $0.title] }))]
  }
}

struct Press: OutboxCommand {
  static let name = "press"

  func request(for album: Album) throws -> URLRequest { try Album.request(.post, "\(album.uid)/press") }
}

let albumEntities: [any ManagedEntity.Type] = [Album.self, Poster.self]
