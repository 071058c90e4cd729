public import EntityRequests
import HTTPFoundation

extension RequestAdapter {
  /// This adapter, with a limit of the requests to one server (scheme, host and port) that are under way at once.
  /// Further requests wait in the order they came.
  ///
  /// A request keeps its place until its response is there. A streamed response keeps the place until its body was read
  /// or dropped. All copies of the adapter share the places. `CurlAdapter` has a limit of its own; this one is for
  /// other adapters, and for servers that allow less.
  ///
  /// The line moves as requests end, however long it is. It stands still when streamed responses hold all places of a
  /// server and nobody reads them. Then each waiting request fails after 60 seconds in which nothing was read, or after
  /// its own `timeoutInterval` if that is not Foundation's default of 60.
  ///
  /// - Parameters:
  ///   - limit: How many requests, at least 1.
  ///   - clock: The clock of the waits; a test gives a virtual one.
  /// - Throws: `TransportError` of kind `timeout` for a request that waited too long and was not sent.
  public func limited(perHost limit: Int, clock: any Clock<Duration> = ContinuousClock()) -> some RequestAdapter {
    LimitAdapter(base: self, places: Places(limit: max(1, limit), watch: LimitWatch(WaitingClock(clock))))
  }
}

struct LimitAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let places: Places

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    let place = try await places.enter(
      call.request.url?.origin ?? [], silence: call.request.ownTimeout ?? .seconds(60))
    do {
      return try await send(call).keeping(place)
    } catch {
      place.leave()
      throw error
    }
  }
}
