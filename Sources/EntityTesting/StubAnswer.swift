public import EntityJSON
public import EntityRequests
public import Foundation

/// The answer of a ``StubAdapter`` to a request.
public struct StubAnswer: Sendable {
  typealias Content = @Sendable (StubRequest) async throws -> HTTPResponse

  let content: Content
  var gate: StubGate?
  /// In how many pieces the body arrives, each with a report of progress.
  var pieces = 1
  var announcesLength = true
  /// Passed before the piece of that number, from 0.
  var pieceGates: [Int: StubGate] = [:]

  init(_ content: @escaping Content) { self.content = content }

  /// A JSON body; a literal will do.
  public static func json(_ value: JSONValue, status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    data(value.rawBytes, status: status, contentType: "application/json", headers: headers)
  }

  public static func data(
    _ data: Data, status: Int = 200, contentType: String? = "application/json", headers: HTTPHeaders = [:]
  ) -> StubAnswer {
    var headers = headers
    if let contentType, headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    return StubAnswer { [headers] in HTTPResponse(status: status, headers: headers, url: $0.url, body: data) }
  }

  /// The bytes of a text as they are, for a body that is no JSON.
  public static func text(
    _ text: String, status: Int = 200, contentType: String? = "application/json", headers: HTTPHeaders = [:]
  ) -> StubAnswer {
    data(Data(text.utf8), status: status, contentType: contentType, headers: headers)
  }

  /// A status without a body.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubAnswer {
    data(Data(), status: status, contentType: nil, headers: headers)
  }

  /// No response at all.
  public static func failure(
    _ kind: TransportError.Kind, _ message: String = "a failure of the stub", mayHaveBeenProcessed: Bool = false
  ) -> StubAnswer {
    error(TransportError(kind, message, mayHaveBeenProcessed: mayHaveBeenProcessed))
  }

  public static func error(_ error: any Error) -> StubAnswer { StubAnswer { _ in throw error } }

  /// The response that the closure makes for the request.
  public static func respond(
    _ response: @escaping @Sendable (StubRequest) async throws -> HTTPResponse
  ) -> StubAnswer { StubAnswer(response) }

  /// The same answer, given when `gate` is open.
  public func waiting(for gate: StubGate) -> StubAnswer {
    var answer = self
    answer.gate = gate
    return answer
  }

  /// The same answer, whose body arrives in pieces.
  ///
  /// - Parameters:
  ///   - pieces: How many there are.
  ///   - announcesLength: Whether the progress knows how much there will be.
  ///   - gates: To be open before the piece of that number, from 0, arrives.
  public func chunked(
    _ pieces: Int, announcesLength: Bool = true, gates: [Int: StubGate] = [:]
  ) -> StubAnswer {
    var answer = self
    answer.pieces = max(1, pieces)
    answer.announcesLength = announcesLength
    answer.pieceGates = gates
    return answer
  }

  func send(_ request: StubRequest, _ progress: TransferProgressHandler?) async throws -> HTTPResponse {
    let sent = Int64(request.body.count)
    if sent > 0 { progress?(TransferProgress(bytesSent: sent, bytesToSend: sent)) }
    try await gate?.wait()
    try Task.checkCancellation()
    let response = try await content(request)
    let length = response.body.count
    for piece in 0..<pieces {
      try await pieceGates[piece]?.wait()
      progress?(
        TransferProgress(
          bytesSent: sent, bytesToSend: sent, bytesReceived: Int64(length * (piece + 1) / pieces),
          bytesToReceive: announcesLength ? Int64(length) : nil))
    }
    return response
  }
}
