public import EntityRequests
import EntityStore
import Synchronization
import Testing
public import HTTPFoundation

/// An adapter around another one that injects errors of transports by rules.
///
/// ```swift
/// let adapter = FaultAdapter(stub)
///   .inject(.lost(.timeout), into: .post, "/orders", .number(1))      // the server has the order, and nobody knows it
///   .inject(.unsent(.connection), .every(3))
/// ```
///
/// The rule that was added first counts where several fit a request. A rule counts all its requests, even those for
/// which an earlier rule counted.
public final class FaultAdapter: RequestAdapter {
  private struct Rule {
    let route: StubRoute?
    let turn: FaultTurn
    let fault: Fault
    var count = 0
  }

  private struct State {
    var rules: [Rule] = []
    var injected: [Fault] = []
  }

  private let adapter: any RequestAdapter
  private let state = Mutex(State())

  /// An adapter without rules.
  ///
  /// - Parameter adapter: Sends the requests.
  public init(_ adapter: any RequestAdapter) { self.adapter = adapter }

  /// The faults that were injected so far, in their order.
  public var injected: [Fault] { state.withLock(\.injected) }

  /// Adds a rule for all requests.
  ///
  /// - Parameters:
  ///   - fault: The fault.
  ///   - turn: The requests that get the fault.
  @discardableResult
  public func inject(_ fault: Fault, _ turn: FaultTurn = .each) -> FaultAdapter {
    add(Rule(route: nil, turn: turn, fault: fault))
  }

  /// Adds a rule for the requests to a method and a pattern of paths.
  ///
  /// - Parameters:
  ///   - fault: The fault.
  ///   - method: The HTTP method.
  ///   - path: A path in the form of ``StubAdapter/on(_:_:query:_:file:line:)``.
  ///   - turn: The requests that get the fault.
  ///   - file: With the line, the place where the test fails if no path can match.
  ///   - line: The line, from 1.
  @discardableResult
  public func inject(
    _ fault: Fault, into method: HTTPMethod, _ path: String, _ turn: FaultTurn = .each,
    file: String = #filePath, line: Int = #line
  ) -> FaultAdapter {
    do {
      return add(Rule(route: try StubRoute(method, path, nil), turn: turn, fault: fault))
    } catch {
      Issue.record(error, sourceLocation: SourceLocation(file: file, line: line))
      return self
    }
  }

  private func add(_ rule: Rule) -> FaultAdapter {
    state.withLock { $0.rules.append(rule) }
    return self
  }

  @concurrent public func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try Task.checkCancellation()
    guard let fault = try fault(for: request) else {
      return try await adapter.send(request, body: body, progress: progress)
    }
    if case .unsent = fault.place { throw fault.error }
    _ = try await adapter.send(request, body: body, progress: progress)
    throw fault.error
  }

  @concurrent public func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    try Task.checkCancellation()
    let fault = try fault(for: request)
    if let fault, case .unsent = fault.place { throw fault.error }
    let response = try await adapter.stream(request, body: body, progress: progress)
    switch fault?.place {
    case .broken(let bytes)?:
      let broken = BrokenBody(response, bytes, fault?.error)
      return response.reading {
        do { return atCaller(try await broken.next()) } catch { throw atCaller(error) }
      }
    case .lost?, .unsent?:
      // A server also acts on a request whose response nobody reads.
      if let fault { throw fault.error }
      return response
    case nil: return response
    }
  }

  private func fault(for request: URLRequest) throws -> Fault? {
    // The body may be readable only once.
    let head = try StubRequest(head: request)
    return state.withLock { state in
      var found: Fault?
      for index in state.rules.indices where state.rules[index].route.map({ $0.match(head) != nil }) ?? true {
        state.rules[index].count += 1
        if found == nil, state.rules[index].turn.includes(state.rules[index].count) { found = state.rules[index].fault }
      }
      if let found { state.injected.append(found) }
      return found
    }
  }
}

/// A body that breaks off.
private final class BrokenBody: Sendable {
  private let response: StreamedHTTPResponse
  private let error: TransportError?
  private let left: Mutex<Int>

  init(_ response: StreamedHTTPResponse, _ bytes: Int, _ error: TransportError?) {
    (self.response, self.error) = (response, error)
    left = Mutex(bytes)
  }

  @concurrent func next() async throws -> Data? {
    guard left.withLock({ $0 }) > 0, let piece = try await response.next() else {
      left.withLock { $0 = 0 }
      if let error { throw error }
      return nil
    }
    return left.withLock { left in
      let shown = piece.prefix(left)
      left -= shown.count
      return Data(shown)
    }
  }
}
