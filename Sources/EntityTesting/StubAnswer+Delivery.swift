import EntityRequests
import EntityStore
import Foundation
import Synchronization

extension StubAnswer {
  /// The head of the response, and its body while it arrives.
  @concurrent func stream(
    _ request: StubRequest, _ progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    let sent = Int64(request.body.count)
    if sent > 0 { progress?(TransferProgress(bytesSent: sent, bytesToSend: sent)) }
    try await gate?.wait()
    try await delay?()
    try Task.checkCancellation()
    let response = try await content(request)
    let body = StubBody(self, response.body, sent: sent, progress)
    return StreamedHTTPResponse(response).reading {
      do { return atCaller(try await body.next()) } catch { throw atCaller(error) }
    }
  }

  /// The whole response.
  @concurrent func send(_ request: StubRequest, _ progress: TransferProgressHandler?) async throws -> HTTPResponse {
    let response = try await stream(request, progress)
    var body = Data()
    while let piece = try await response.next() { body.append(piece) }
    return HTTPResponse(
      status: response.status, headers: response.headers, url: response.url, body: body, metrics: response.metrics)
  }
}

/// The body of a response while it arrives.
private final class StubBody: Sendable {
  private let answer: StubAnswer
  private let body: Data
  private let sent: Int64
  private let progress: TransferProgressHandler?
  /// The end of each piece.
  private let ends: [Int]
  private let number = Mutex(0)

  init(_ answer: StubAnswer, _ body: Data, sent: Int64, _ progress: TransferProgressHandler?) {
    (self.answer, self.body, self.sent, self.progress) = (answer, body, sent, progress)
    let pieces = answer.pieces
    let ends = (0..<pieces).map { body.count * ($0 + 1) / pieces }
    let end = min(answer.fault?.bytes ?? body.count, body.count)
    self.ends = answer.fault == nil ? ends : ends.filter { $0 < end } + [end]
  }

  /// The next piece; `nil` at the end.
  ///
  /// - Throws: The fault of the answer; `CancellationError`.
  @concurrent func next() async throws -> Data? {
    while true {
      let number = number.withLock { number in
        defer { number = min(number + 1, ends.count) }
        return number
      }
      guard number < ends.count else {
        if let fault = answer.fault { throw fault.error }
        return nil
      }
      try await answer.pieceGates[number]?.wait()
      try Task.checkCancellation()
      progress?(
        TransferProgress(
          bytesSent: sent, bytesToSend: sent, bytesReceived: Int64(ends[number]),
          bytesToReceive: answer.announcesLength ? Int64(body.count) : nil))
      let start = number == 0 ? 0 : ends[number - 1]
      let piece = body.dropFirst(start).prefix(ends[number] - start)
      if !piece.isEmpty { return Data(piece) }
    }
  }
}
