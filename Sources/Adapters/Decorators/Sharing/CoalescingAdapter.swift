public import EntityRequests
import EntityStore
import Synchronization
import HTTPFoundation

extension RequestAdapter {
  /// This adapter, with equal GETs that are under way together sent once.
  ///
  /// GET and HEAD requests without a body are equal if all of these are equal: method, URL, header fields, time limits,
  /// cache policy, use of cookies, and the networks that they may take. Each caller gets the response, and the progress
  /// from the time when it came. A cancelled caller leaves, and the others go on waiting; when the last caller leaves,
  /// the request is cancelled. A GET that comes after the response to a write does not share a GET from before that,
  /// nor one from before a hint that the server pushed. A shared response is as old as the request that was sent: it does
  /// not overwrite what the store got since. Requests on different stores are sent apart. Streamed responses are not shared.
  ///
  /// Put this adapter around adapters that are the same for everyone, and authentication around this adapter: then the
  /// credentials are among the fields that are compared.
  public func coalescing() -> some RequestAdapter { CoalescingAdapter(base: self) }
}

struct CoalescingAdapter<Base: RequestAdapter>: RequestAdapter {
  let base: Base
  let inFlight = InFlightRequests()
  private let writes = WriteCount()

  init(base: Base) { self.base = base }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let method = request.httpMethod ?? "GET"
    guard ["GET", "HEAD"].contains(method), body.isEmpty else {
      // Also after an error, which does not tell whether the write was done.
      defer { countWrite(method) }
      return try await base.send(request, body: body, progress: progress)
    }
    let moment = TransferMoment.current
    let key = InFlightRequests.Key(
      store: ObjectIdentifier(writes), request: request.text(after: "\(writes.count) \(moment?.text ?? "")"))
    // The first of those that share is the oldest.
    let transfer = moment?.begin()
    let work: @Sendable (@escaping InFlightRequests.Report) async throws -> Shared = { [base] report in
      Shared(
        response: try await base.send(request, body: body) { report($0) }, transfer: transfer)
    }
    let shared = try await inFlight.value(for: key, progress: Self.report(to: progress), of: work)
    if let transfer = shared.transfer { moment?.share(transfer) }
    return shared.response
  }

  private struct Shared: Sendable {
    let response: HTTPResponse
    let transfer: HeldNumber?
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    defer { countWrite(request.httpMethod ?? "GET") }
    return try await base.stream(request, body: body, progress: progress)
  }

  private static func report(to progress: TransferProgressHandler?) -> InFlightRequests.Report? {
    guard let progress else { return nil }
    return { counts in
      if let counts = counts as? TransferProgress { progress(counts) }
    }
  }

  /// After a write, requests share no request from before it (RFC 9110 §9.2.1).
  private func countWrite(_ method: String) {
    if !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) { writes.add() }
  }
}

private final class WriteCount: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

extension RequestBody {
  fileprivate var isEmpty: Bool {
    switch self {
    case .none: true
    case .data(let data): data.isEmpty
    case .file, .stream: false
    }
  }
}

extension URLRequest {
  /// All that decides how a request is sent and answered, as one text. If one part differs, the text differs.
  ///
  /// - Parameter moment: A text that changes with all that the response must be newer than.
  fileprivate func text(after moment: String) -> String {
    let fields = HTTPHeaders(self).map { "\($0.name.lowercased()):\($0.value)" }.sorted()
    let head = [
      "\(moment) \(timeoutInterval) \(cachePolicy.rawValue) \(httpShouldHandleCookies) \(networks)",
      httpMethod ?? "GET", url?.absoluteString ?? "",
    ]
    // The length of a part says where the next begins, whatever it holds.
    return (head + fields).map { "\($0.utf8.count):\($0)" }.joined()
  }

  /// The kinds of networks that the request may take.
  private var networks: [Bool] {
    #if canImport(FoundationNetworking)
      [allowsCellularAccess]
    #else
      [allowsCellularAccess, allowsExpensiveNetworkAccess, allowsConstrainedNetworkAccess]
    #endif
  }
}
