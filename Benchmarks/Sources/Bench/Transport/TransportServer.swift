import CTransport
import Foundation

/// The server of the group `transport`: this program again, in a process of its own.
enum TransportServer {
  /// The server is started when it is first asked for.
  private static let port = transport_start()

  static func url(_ path: String) throws -> URL {
    guard port > 0, let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else {
      throw ContestError(description: "the server of the benchmark did not start; it needs Linux")
    }
    return url
  }
}
