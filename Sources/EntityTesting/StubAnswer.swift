public import EntityJSON
public import EntityRequests
public import Foundation

/// The answer of a ``StubAdapter`` to a request.
public struct StubAnswer: Sendable {
  typealias Content = @Sendable (StubRequest) async throws -> HTTPResponse

  let content: Content
  var gate: StubGate?
  /// Waits before the head.
  var delay: (@concurrent @Sendable () async throws -> Void)?
  /// After how many bytes of the body it breaks off, and with which error.
  var fault: (bytes: Int, error: TransportError)?
  /// For how many requests of several it is; `nil` where that follows from the number of answers.
  var uses: Int?
  /// In how many pieces the body arrives, each with a report of progress.
  var pieces = 1
  var announcesLength = true
  /// Passed before the piece of that number, from 0.
  var pieceGates: [Int: StubGate] = [:]

  init(_ content: @escaping Content) { self.content = content }

  /// A JSON body; a literal will do: `.json(["id": 1])`. A text is a string of JSON: for JSON that is written out there is
  /// ``text(_:status:contentType:headers:)``.
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

  /// The same answer, given after a time. A virtual clock costs no time.
  ///
  /// - Parameters:
  ///   - duration: The time from the request to the head of the response.
  ///   - clock: The clock by which it waits.
  public func delayed<C: Clock>(by duration: Duration, on clock: C) -> StubAnswer where C.Duration == Duration {
    var answer = self
    answer.delay = { try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil) }
    return answer
  }

  /// The same answer, whose body breaks off. With ``chunked(_:announcesLength:gates:)`` the pieces before come first.
  ///
  /// - Parameters:
  ///   - bytes: How much of the body arrives; of a shorter body all of it does, and then its end is missing.
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public func breaking(
    after bytes: Int, _ kind: TransportError.Kind = .badResponse, _ message: String = "a body of the stub broke off"
  ) -> StubAnswer {
    var answer = self
    answer.fault = (max(0, bytes), TransportError(kind, message, mayHaveBeenProcessed: true))
    return answer
  }

  /// The same answer, given to so many requests, before the next answer of its route.
  ///
  /// ```swift
  /// stub.on(.get, "/users", .status(503).times(2), .json([]).always)
  /// ```
  ///
  /// - Parameter count: To how many requests it is given.
  public func times(_ count: Int) -> StubAnswer {
    var answer = self
    answer.uses = max(0, count)
    return answer
  }

  /// The same answer, given to all requests from then on.
  public var always: StubAnswer { times(.max) }

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
}
