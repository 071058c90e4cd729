// For all files of the module: each that uses the server would have to import it else.
@_exported import EntityTesting
import Foundation

/// The server of the conformance suite: scripts write the bytes they like, and its log is the oracle of the tests.
typealias TestServer = ConformanceServer
typealias TestConnection = ConformanceConnection
typealias TestRequest = ConformanceRequest

extension TestServer {
  func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

  /// Answers every request of a connection.
  static func answering(_ answer: @escaping @Sendable (TestRequest) -> [UInt8]) throws -> TestServer {
    try TestServer { connection in
      while let request = try connection.readRequest() { try connection.send(answer(request)) }
    }
  }

  static func answering(_ answer: String) throws -> TestServer {
    try answering { _ in Array(answer.utf8) }
  }

  /// A port that was free a moment ago.
  static func unusedPort() throws -> Int { try TestServer { _ in }.port }
}

extension TestConnection {
  func sendChunk(_ bytes: [UInt8]) throws {
    try send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
  }
}

extension TestRequest {
  var method: String { String(head.split(separator: " ", maxSplits: 1).first ?? "") }
  var target: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
}
