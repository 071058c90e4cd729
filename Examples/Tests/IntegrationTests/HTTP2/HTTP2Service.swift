import Adapters
import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The server of scripts/services/h2server.py: a path says what goes wrong, and its log is the oracle.
struct HTTP2Service: Sendable {
  /// The offer of a port: HTTP/2 and 1.1, HTTP/2 alone, or one stream of HTTP/2 at a time.
  enum Port: String {
    case both = "BOTH"
    case only = "ONLY"
    case single = "SINGLE"
  }

  struct Entry: Decodable {
    let kind: String
    let version: String?
    let path: String?
    let bytes: Int?
    let connection: Int
  }

  struct Missing: Error { let name: String }

  private let id = UUID().uuidString
  let adapter: any RequestAdapter

  init(_ one: AdapterUnderTest) {
    var configuration = CurlAdapter.Configuration()
    if let authority = Self.variable("CA") { configuration.trust = .file(URL(fileURLWithPath: authority)) }
    adapter = one.adapter(configuration)
  }

  static let isStarted = variable("LOG") != nil
  /// The script says so where it brings a new libcurl: the tests are not to be left out then.
  static let isSpoken = isStarted && (libcurl >= (8, 2) || variable("SPOKEN") != nil)
  static let isDeclined = isStarted && libcurl < (8, 2)

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["ENTITYCLIENT_HTTP2_\(name)"]
  }

  /// The version of the libcurl that this process has.
  private static let libcurl: (Int, Int) = {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "curl_version") else { return (0, 0) }
    let version = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)
    // "libcurl/8.23.0 OpenSSL/…"
    let parts = String(cString: version()).split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return parts.count == 2 ? (parts[0], parts[1]) : (0, 0)
  }()

  /// A path that no other test has.
  func path(_ name: String) -> String {
    let parts = name.split(separator: "/", maxSplits: 1)
    return parts[0] == "bytes" ? "/\(name)/\(id)" : "/\(parts[0])/\(id)" + parts.dropFirst().map { "/\($0)" }.joined()
  }

  func request(_ method: String, _ port: Port, _ path: String) throws -> URLRequest {
    guard let base = Self.variable(port.rawValue), let url = URL(string: base + path.dropFirst()) else {
      throw Missing(name: port.rawValue)
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    return request
  }

  func send(_ method: String, _ port: Port, _ path: String, _ body: RequestBody = .none) async throws -> HTTPResponse {
    try await adapter.send(try request(method, port, path), body: body, progress: nil)
  }

  func failure(_ method: String, _ port: Port, _ path: String) async throws -> TransportError? {
    do {
      _ = try await send(method, port, path)
      return nil
    } catch let error as TransportError {
      return error
    }
  }

  /// The requests that the server received whose paths begin so.
  func log(_ prefix: Substring) async throws -> [Entry] { try await entries("request", prefix) }

  /// The streams that the client reset, of requests whose paths begin so.
  func resets(_ prefix: Substring) async throws -> [Entry] { try await entries("reset", prefix) }

  private func entries(_ kind: String, _ prefix: Substring) async throws -> [Entry] {
    guard let url = Self.variable("LOG").flatMap({ URL(string: $0) }) else { throw Missing(name: "LOG") }
    let response = try await CurlAdapter().send(URLRequest(url: url), body: .none, progress: nil)
    let entries = try JSONDecoder().decode([Entry].self, from: response.body)
    return entries.filter { $0.kind == kind && $0.path?.hasPrefix(prefix) == true }
  }
}
