internal import CCurl
internal import EntityRequests

extension CurlTransfer {
  /// The figures of the transfer until now. libcurl keeps them until the handle gets its next request.
  func metrics() -> TransferMetrics {
    var metrics = TransferMetrics()
    let untilNow = loop.now - exchange.begin
    guard let handle, let begin else {
      metrics.waiting = max(.zero, untilNow)
      metrics.total = metrics.waiting
      return metrics
    }
    var figures = ccurl_metrics()
    ccurl_get_metrics(handle.easy, &figures)
    // The exchange may have begun in this turn, after the time of the turn was taken.
    let waiting = max(.zero, begin - exchange.begin)
    metrics.waiting = waiting
    if figures.resolved > 0 { metrics.nameResolution = .microseconds(figures.resolved) }
    if figures.connected > 0 { metrics.connection = .microseconds(max(0, figures.connected - figures.resolved)) }
    if figures.secured > 0 { metrics.tls = .microseconds(max(0, figures.secured - figures.connected)) }
    if headBytes > 0 { metrics.firstByte = waiting + .microseconds(figures.first_byte) }
    // libcurl does not count the time in which nothing happened before a transfer was given up.
    metrics.total = max(waiting + .microseconds(figures.total), untilNow)
    guard attempts > 0 else { return metrics }
    metrics.isConnectionReused = !figures.is_new
    // libcurl's count includes the frames of chunks, and ours the bytes that are still in its buffer.
    metrics.bytesSent = figures.head_sent + min(taken, uploaded)
    metrics.bytesReceived = Int64(headBytes) + received
    metrics.httpVersion = Self.name(ofVersion: Int(figures.version))
    return metrics
  }

  private static func name(ofVersion version: Int) -> String? {
    switch version {
    case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
    case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
    case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
    case Int(CURL_HTTP_VERSION_3): "HTTP/3"
    default: nil
    }
  }
}
