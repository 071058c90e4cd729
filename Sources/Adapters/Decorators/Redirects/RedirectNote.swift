import EntityRequests
import Foundation
import Synchronization

/// Tells an outer decorator where the redirects of its request led, and so whether the request can be sent again.
///
/// A request that shares the transfer of another request has no note of its own. Only a GET or a HEAD shares one.
final class RedirectNote: Sendable {
  /// The note of the request that this task sends.
  @TaskLocal static var current: RedirectNote?

  private struct State {
    var hops = 0
    var mayHaveActed = false
    var leftOrigin = false
  }

  private let state = Mutex(State())

  /// Whether a redirect was followed.
  var hasHops: Bool { state.withLock { $0.hops > 0 } }
  /// Whether a server may have done the request before it sent a redirect. A server that sent 307 or 308 has not.
  var mayHaveActed: Bool { state.withLock(\.mayHaveActed) }
  /// Whether a redirect led to another origin, and so lost the credentials.
  var leftOrigin: Bool { state.withLock(\.leftOrigin) }

  /// Sends with a note that the redirects below are written to, or with none.
  @concurrent static func send<Response: Sendable>(
    _ call: AdapterCall, with note: RedirectNote?, _ send: Sender<Response>
  ) async throws -> Response {
    let outcome: Result<Response, any Error> = await $current.withValue(note) {
      do {
        return .success(try await send(call))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Forgets the redirects of an earlier attempt: the next one begins at the first URL.
  func begin() { state.withLock { $0 = State() } }

  func add(_ status: Int, from url: URL?, to target: URL?) {
    let isElsewhere = url?.origin != target?.origin
    state.withLock {
      $0.hops += 1
      if status != 307, status != 308 { $0.mayHaveActed = true }
      if isElsewhere { $0.leftOrigin = true }
    }
  }
}
