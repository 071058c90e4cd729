import EntityRequests
import HTTPFoundation

/// An adapter around another one that treats whole and streamed responses alike: it sees only the head of each.
protocol Decorator: RequestAdapter {
  associatedtype Base: RequestAdapter
  var base: Base { get }

  /// Sends the request by way of `send`, as often as the decorator needs.
  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response
}

/// Hands a call on to the adapter that is decorated.
typealias Sender<Response> = @concurrent @Sendable (AdapterCall) async throws -> Response

/// The arguments of one call of an adapter.
struct AdapterCall: Sendable {
  var request: URLRequest
  var body: RequestBody
  var progress: TransferProgressHandler?

  var method: String { request.httpMethod ?? "GET" }

  /// Whether sending the request twice has the effect of sending it once.
  var isRepeatable: Bool {
    method.isIdempotentMethod || request.value(forHTTPHeaderField: "Idempotency-Key") != nil
  }
}

/// A whole or streamed response, whose head a decorator reads.
protocol HeadedResponse: Sendable {
  var status: Int { get }
  var headers: HTTPHeaders { get }
  var url: URL? { get set }
  /// The size of the body; `nil` for a streamed body.
  var bytes: Int? { get }
  var metrics: TransferMetrics? { get }

  /// The same response, which gives the place back when its body was read or dropped.
  func keeping(_ place: Place) -> Self

  /// The same response, whose body is watched while it is read. A whole body is not watched.
  func watched(by watch: @autoclosure () -> BodyWatch) -> Self

  /// The same response, which holds neither connection nor place once this one is dropped. A short body is read for
  /// this, and the beginning of a long body.
  ///
  /// - Throws: `CancellationError`.
  @concurrent func settled() async throws -> Self
}

extension HTTPResponse: HeadedResponse {
  var bytes: Int? { body.count }

  func keeping(_ place: Place) -> Self {
    place.leave()
    return self
  }

  func watched(by watch: @autoclosure () -> BodyWatch) -> Self { self }

  @concurrent func settled() async throws -> Self { self }
}

extension StreamedHTTPResponse: HeadedResponse {
  var bytes: Int? { nil }

  func keeping(_ place: Place) -> Self {
    place.hold()
    return reading { [next] in
      // While a reader waits for a piece, the limits of the transport hold. The limit for readers who read nothing does
      // not.
      place.release()
      do {
        let piece = try await next()
        if piece == nil { place.leave() } else { place.hold() }
        return piece
      } catch {
        place.leave()
        throw error
      }
    }
  }

  func watched(by watch: @autoclosure () -> BodyWatch) -> Self {
    let watch = watch()
    return reading { [self] in
      do {
        let piece = try await next()
        if let piece { watch.read(piece.count) } else { watch.end(.complete, metrics) }
        return piece
      } catch {
        watch.end(.failed(error), metrics)
        throw error
      }
    }
  }

  @concurrent func settled() async throws -> Self {
    var body = Data()
    var failure: (any Error)?
    do {
      while let piece = try await next() {
        let rest = Self.settledBytes - body.count
        body.append(piece.prefix(rest))
        guard piece.count <= rest else {
          // The reader gets this error, if there is a reader.
          throw TransportError(
            .bodyTooLarge, "The body of the refusal is too long to be kept through a refresh.",
            mayHaveBeenProcessed: true)
        }
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      failure = error
    }
    let here = StreamedHTTPResponse(
      HTTPResponse(status: status, headers: headers, url: url, body: body, metrics: metrics))
    guard let failure else { return here }
    // The reader gets what came before the failure.
    return here.reading {
      if let piece = try await here.next() { return piece }
      throw failure
    }
  }

  /// More bytes than the message of an error has.
  private static var settledBytes: Int { 65_536 }
}

extension Decorator {
  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try await response(to: AdapterCall(request: request, body: body, progress: progress)) { [base] call in
      try await base.send(call.request, body: call.body, progress: call.progress)
    }
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    try await response(to: AdapterCall(request: request, body: body, progress: progress)) { [base] call in
      try await base.stream(call.request, body: call.body, progress: call.progress)
    }
  }
}

extension RequestBody {
  /// Whether the same bytes can be sent once more.
  var isReplayable: Bool {
    if case .stream(let stream) = self { stream.isReplayable } else { true }
  }
}
