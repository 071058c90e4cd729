public import EntityRequests
import HTTPFoundation

extension RequestAdapter {
  /// This adapter, with no more requests to one server (scheme, host and port) under way at once than a number of them; others
  /// wait in the order they came.
  ///
  /// A request keeps its place until its response is there, and a streamed one until its body was read or dropped. All
  /// copies of the adapter share the places. `CurlAdapter` has a limit of its own; this one is for other adapters, and for
  /// servers that allow less.
  ///
  /// A line of any length moves as requests end. The line stands still where streamed responses hold all places of a server and
  /// nobody reads them: each request that waits then fails after 60 seconds in which nothing was read, or after its own
  /// `timeoutInterval` where that is not Foundation's default of 60.
  ///
  /// - Parameters:
  ///   - limit: How many, at least 1.
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
