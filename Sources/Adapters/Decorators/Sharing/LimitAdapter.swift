public import EntityRequests
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestAdapter {
  /// This adapter, with no more requests to one server (scheme, host and port) under way at once than a number of them; others
  /// wait in the order they came.
  ///
  /// A request keeps its place until its response is there, and a streamed one until its body was read or dropped. All
  /// copies of the adapter share the places. `CurlAdapter` has a limit of its own; this one is for other adapters, and for
  /// servers that allow less.
  ///
  /// - Parameter limit: How many, at least 1.
  public func limited(perHost limit: Int) -> some RequestAdapter {
    LimitAdapter(base: self, places: Places(limit: max(1, limit)))
  }
}

private struct LimitAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let places: Places

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    let place = try await places.enter(call.request.url?.origin ?? [])
    do {
      return try await send(call).keeping(place)
    } catch {
      place.leave()
      throw error
    }
  }
}
