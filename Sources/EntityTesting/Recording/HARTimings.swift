import EntityRequests

/// The times of an entry of an HTTP Archive 1.2, in milliseconds; -1 for a part that did not happen.
struct HARTimings: Codable {
  var blocked: Double?
  var dns: Double?
  /// Includes the time of ``ssl``.
  var connect: Double?
  var ssl: Double?
  var send = 0.0
  var wait = 0.0
  var receive = 0.0

  /// The times of a transfer that was not measured are 0.
  init(_ metrics: TransferMetrics? = nil) {
    guard let metrics, let total = metrics.total else { return }
    let waiting = metrics.waiting ?? .zero
    let connection = metrics.connection.map { $0 + (metrics.tls ?? .zero) }
    blocked = metrics.waiting.map(Self.milliseconds)
    if metrics.isConnectionReused != nil || connection != nil {
      dns = metrics.nameResolution.map(Self.milliseconds) ?? -1
      connect = connection.map(Self.milliseconds) ?? -1
      ssl = metrics.tls.map(Self.milliseconds) ?? -1
    }
    let sent = waiting + (metrics.connecting ?? metrics.nameResolution ?? .zero)
    let firstByte = max(metrics.firstByte ?? total, sent)
    wait = Self.milliseconds(firstByte - sent)
    receive = Self.milliseconds(max(.zero, total - firstByte))
  }

  /// The whole time.
  var time: Double {
    let parts = [blocked ?? 0, dns ?? 0, connect ?? 0, send, wait, receive]
    return (parts.reduce(0) { $0 + max(0, $1) } * 1000).rounded() / 1000
  }

  /// The metrics with these times; `nil` where all times are 0.
  var metrics: TransferMetrics? {
    guard time > 0 else { return nil }
    var metrics = TransferMetrics()
    metrics.waiting = Self.duration(blocked)
    metrics.nameResolution = Self.duration(dns)
    metrics.tls = Self.duration(ssl)
    metrics.connection = Self.duration(connect).map { max(.zero, $0 - (metrics.tls ?? .zero)) }
    metrics.isConnectionReused = connect.map { $0 < 0 }
    metrics.total = Self.duration(time)
    metrics.firstByte = Self.duration(time - max(0, receive))
    return metrics
  }

  private static func milliseconds(_ duration: Duration) -> Double {
    (duration / .microseconds(1)).rounded() / 1000
  }

  /// - Parameter milliseconds: The number from a file.
  private static func duration(_ milliseconds: Double?) -> Duration? {
    // A time of more than a century is an error, and could not be computed.
    guard let milliseconds, milliseconds >= 0, milliseconds < 1e12 else { return nil }
    return .microseconds(Int64((milliseconds * 1000).rounded()))
  }
}
