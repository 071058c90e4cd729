public import EntityRequests
import Foundation
import Synchronization

/// Takes an app off the network, and back: while it is offline, requests fail at once.
///
/// ```swift
/// let network = OfflineSwitch()
/// let adapter = CurlAdapter().switched(by: network)
/// network.isOffline = true
/// ```
public final class OfflineSwitch: Sendable {
  private let state: Mutex<Bool>

  /// - Parameter isOffline: Whether requests fail from the start.
  public init(isOffline: Bool = false) { state = Mutex(isOffline) }

  /// Whether requests fail. Requests that are under way already go on.
  public var isOffline: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension RequestAdapter {
  /// This adapter, which sends nothing while a switch is offline.
  ///
  /// The switch is asked once for each request that comes. Around `retrying(_:clock:)` a request that came before sends
  /// its next attempt; inside, that attempt fails.
  ///
  /// - Parameter network: The switch; several adapters may have the same one.
  /// - Throws: `TransportError` of kind `offline` while the switch is offline.
  public func switched(by network: OfflineSwitch) -> some RequestAdapter {
    OfflineAdapter(base: self, network: network)
  }
}

private struct OfflineAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let network: OfflineSwitch

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    guard !network.isOffline else {
      throw TransportError(
        .offline, "The app is offline by its own switch, so nothing more was sent.",
        mayHaveBeenProcessed: false)
    }
    return try await send(call)
  }
}
