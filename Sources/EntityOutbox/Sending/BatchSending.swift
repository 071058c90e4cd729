import EntityRequests
import EntityStore
import HTTPFoundation
import Synchronization

/// The sending of changes that go together: gathers their requests, sends the requests as one, and hands each change its
/// part of the response.
///
/// A change in a batch goes the way of any other change, from its request to the transaction of its response. Only the
/// adapter is another one: ``Part``.
final class BatchSending: Sendable {
  private enum Place: Sendable {
    /// The change may still have a request.
    case open
    /// The request waits for its response.
    case waiting(URLRequest, Waiter<HTTPResponse>)
    /// The change goes without the batch.
    case left
  }

  private struct State {
    var places: [Place]
    var open: Int
    /// The wait for the last request.
    var gathering: Waiter<Void>?
  }

  private let batch: any OutboxBatch
  private let client: Client
  private let state: Mutex<State>

  /// - Parameter count: The number of changes.
  init(_ batch: any OutboxBatch, _ client: Client, count: Int) {
    (self.batch, self.client) = (batch, client)
    state = Mutex(State(places: Array(repeating: .open, count: count), open: count))
  }

  func part(_ place: Int) -> Part { Part(sending: self, place: place) }

  /// - Returns: Whether the place was open.
  private func set(_ place: Int, _ value: Place) -> Bool {
    let (isFirst, gathered) = state.withLock { state -> (Bool, Waiter<Void>?) in
      guard case .open = state.places[place] else { return (false, nil) }
      state.places[place] = value
      state.open -= 1
      guard state.open == 0 else { return (true, nil) }
      defer { state.gathering = nil }
      return (true, state.gathering)
    }
    gathered?.end()
    return isFirst
  }

  /// Takes the place of the client's adapter for one change.
  struct Part: RequestAdapter {
    fileprivate let sending: BatchSending
    fileprivate let place: Int

    @concurrent func send(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> HTTPResponse {
      let waiter = Waiter<HTTPResponse>()
      var request = request
      let joins: Bool
      switch body {
      case .none, .data:
        request.httpBody = if case .data(let data) = body { data } else { nil }
        joins = sending.set(place, .waiting(request, waiter))
      case .file, .stream:
        // Such a body is read while it is sent.
        leave()
        joins = false
      }
      guard joins else { return try await sending.client.adapter.send(request, body: body, progress: progress) }
      return try await waiter.value { true }
    }

    /// The change has ended, or sends no request.
    func leave() { _ = sending.set(place, .left) }
  }

  // MARK: The request

  /// Waits for the requests, and sends them.
  func run() async {
    let gathering = Waiter<Void>()
    let waits = state.withLock { state in
      if state.open > 0 { state.gathering = gathering }
      return state.open > 0
    }
    // The parts of a cancelled sending have ended by themselves.
    if waits { try? await gathering.value { true } }
    let parts = state.withLock { state in
      state.places.compactMap { place in
        if case .waiting(let request, let waiter) = place { (request: request, waiter: waiter) } else { nil }
      }
    }
    guard parts.count > 1 else {
      for part in parts { part.waiter.end(await result(of: part.request)) }
      return
    }
    let requests = parts.map(\.request)
    switch await answer(to: requests) {
    case .parts(let responses):
      for (index, part) in parts.enumerated() {
        part.waiter.end(responses[index].map { .success($0) } ?? .failure(Self.silence))
      }
    case .failure(let error): for part in parts { part.waiter.end(.failure(error)) }
    case .refused: for part in parts { part.waiter.end(await result(of: part.request)) }
    }
  }

  private enum Answer {
    case parts([HTTPResponse?])
    case failure(any Error)
    /// The service takes no such batch.
    case refused
  }

  private func answer(to parts: [URLRequest]) async -> Answer {
    let request: URLRequest
    do {
      request = try Client.withClient(client) { try batch.request(for: parts) }
    } catch let error as RequestError {
      return .failure(error)
    } catch {
      return .failure(RequestError(.invalidRequest, "The batch makes no request: \(RequestError.shown(error))"))
    }
    do {
      let response = try await client.send(request)
      let responses = try batch.responses(to: parts, in: response)
      return .parts(
        parts.indices.map { index in
          guard responses.indices.contains(index), var response = responses[index] else { return nil }
          response.url = response.url ?? parts[index].url
          return response
        })
    } catch let error as RequestError {
      guard let status = error.status, let response = error.response else {
        // The service has acted on the parts, and its response tells nothing.
        guard error.kind == .transport else { return .failure(Self.silence) }
        // An error of another request says nothing of the parts, but what the adapter says of the batch holds for each.
        return .failure(error.sending ?? error)
      }
      guard Self.isRefusal(status) else { return .parts(parts.map { _ in response }) }
      return .refused
    } catch is CancellationError {
      return .failure(CancellationError())
    } catch {
      return .failure(Self.silence)
    }
  }

  private func result(of request: URLRequest) async -> Result<HTTPResponse, any Error> {
    do {
      return .success(try await client.adapter.send(request, body: RequestBody(of: request), progress: nil))
    } catch {
      return .failure(error)
    }
  }

  /// Whether a status says that the service takes no such batch, and not that it takes nothing at present.
  private static func isRefusal(_ status: Int) -> Bool {
    300..<500 ~= status && ![401, 407, 408, 425, 429].contains(status) || status == 501
  }

  private static let silence = TransportError(
    .badResponse, "The response to the batch says nothing of this change.", mayHaveBeenProcessed: true)
}
