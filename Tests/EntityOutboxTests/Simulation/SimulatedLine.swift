import EntityClient
import HTTPFoundation
import Synchronization

/// The way of one client to the server. A request waits twice: before it arrives, and before its answer does. The seed
/// chooses which one goes on. The client of a killed process gets no answers.
final class SimulatedLine: RequestAdapter {
  /// A request under way.
  struct Ticket {
    let id: Int
    let call: SimulatedServer.Call
    /// Whether the server has the request, and the answer is on its way.
    let isAnswer: Bool
    fileprivate let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var isDead = false
    var account: String?
    var holdsRefreshes = false
    var last = 0
    var tickets: [Ticket] = []
  }

  private let client: Int
  private let server: SimulatedServer
  private let state = Mutex(State())

  /// - Parameter account: The account that is signed in; `nil` where the client names none.
  init(_ client: Int, _ server: SimulatedServer, account: String?) {
    (self.client, self.server) = (client, server)
    signIn(account)
  }

  /// The account whose token each request has.
  var account: String? { state.withLock(\.account) }

  func signIn(_ account: String?) { state.withLock { $0.account = account } }

  /// The requests under way, in an order that does not depend on the time that threads take.
  var tickets: [Ticket] {
    state.withLock(\.tickets).sorted { one, other in
      if one.isAnswer != other.isAnswer { return other.isAnswer }
      if one.call.name != other.call.name { return one.call.name < other.call.name }
      return one.id < other.id
    }
  }

  /// Whether refreshes wait, too.
  func setHoldsRefreshes(_ holds: Bool) { state.withLock { $0.holdsRefreshes = holds } }

  /// Has a request arrive, or its answer.
  func release(_ ticket: Ticket) {
    let found = state.withLock { state in
      state.tickets.firstIndex { $0.id == ticket.id }.map { state.tickets.remove(at: $0) }
    }
    found?.continuation.resume()
  }

  /// Ends the client.
  ///
  /// - Returns: The requests that were under way.
  func end() -> [Ticket] {
    let tickets = state.withLock { state in
      defer { (state.isDead, state.tickets) = (true, []) }
      return state.tickets
    }
    for ticket in tickets { ticket.continuation.resume(throwing: Self.killed) }
    return tickets
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    var data = Data()
    if case .data(let sent) = body { data = sent }
    let items = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems ?? []
    let call = SimulatedServer.Call(
      client: client, account: account, method: request.httpMethod ?? "GET",
      parts: (request.url?.path(percentEncoded: false) ?? "").split(separator: "/").map(String.init), query: items,
      body: data, key: request.value(forHTTPHeaderField: "Idempotency-Key"),
      condition: request.value(forHTTPHeaderField: "If-Match"))
    try await wait(call, isAnswer: false)
    let result = server.take(call, request.url)
    try await wait(call, isAnswer: true)
    return try result.get()
  }

  private func wait(_ call: SimulatedServer.Call, isAnswer: Bool) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let goesOn: Result<Void, any Error>? = state.withLock { state in
        if state.isDead { return .failure(Self.killed) }
        if call.isRefresh, !state.holdsRefreshes { return .success(()) }
        state.last += 1
        state.tickets.append(Ticket(id: state.last, call: call, isAnswer: isAnswer, continuation: continuation))
        return nil
      }
      if let goesOn { continuation.resume(with: goesOn) }
    }
  }

  private static var killed: TransportError { TransportError(.connection, "killed", mayHaveBeenProcessed: false) }
}
