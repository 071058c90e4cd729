import EntityClient
import Foundation
import HTTPFoundation
import Synchronization

/// Sends requests to the process that started this one, by lines of JSON on the standard output, and takes the answers
/// from the standard input.
final class PipeAdapter: RequestAdapter {
  private struct State {
    var last = 0
    var waiting: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
  }

  /// Marks the lines that are for the other process, and not the test library's.
  static let mark = "@"

  private let state = Mutex(State())

  init() {
    Thread.detachNewThread { [self] in
      while let line = readLine() {
        guard let answer = try? JSONValue(parsing: Data(line.utf8)), let number = answer["number"]?.int else {
          continue
        }
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: answer)
      }
      // The other process is gone.
      exit(0)
    }
  }

  /// Says something, and waits for no answer.
  static func say(_ fields: [String: JSONValue]) throws {
    let line = mark + String(decoding: JSONObject(fields).value.rawBytes, as: UTF8.self) + "\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
  }

  /// Asks the other process, and waits for its answer.
  func ask(_ fields: [String: JSONValue]) async throws -> JSONValue {
    try await withCheckedThrowingContinuation { continuation in
      let number = state.withLock { state in
        state.last += 1
        state.waiting[state.last] = continuation
        return state.last
      }
      do {
        try Self.say(fields.merging(["number": JSONValue(number)]) { $1 })
      } catch {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: error)
      }
    }
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    var data = Data()
    if case .data(let sent) = body { data = sent }
    let answer = try await ask([
      "method": JSONValue(request.httpMethod ?? "GET"),
      "path": JSONValue(request.url?.path(percentEncoded: false) ?? ""), "query": JSONValue(request.url?.query() ?? ""),
      "body": JSONValue(String(decoding: data, as: UTF8.self)),
      "key": JSONValue(request.value(forHTTPHeaderField: "Idempotency-Key") ?? ""),
    ])
    return HTTPResponse(
      status: answer["status"]?.int ?? 500, headers: ["Content-Type": "application/json"], url: request.url,
      body: Data((answer["body"]?.string ?? "").utf8))
  }
}
