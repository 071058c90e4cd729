internal import CCurl
internal import EntityRequests

extension CurlTransfer {
  /// Notes the size before an attempt, because libcurl adds the bytes of all attempts.
  func noteRequestSize() {
    guard let handle else { return }
    var size = 0
    ccurl_get_long(handle.easy, CURLINFO_REQUEST_SIZE, &size)
    requestSizeBefore = Int64(size)
  }

  /// The figures of the transfer until now. libcurl keeps them until the handle gets its next request.
  func metrics() -> TransferMetrics {
    var metrics = TransferMetrics()
    let total = .now - exchange.begin
    metrics.total = total
    guard let handle, let begin else {
      metrics.waiting = total
      return metrics
    }
    var figures = ccurl_metrics()
    ccurl_get_metrics(handle.easy, &figures)
    // The exchange may have begun in this turn, after the time of the turn was taken.
    metrics.waiting = max(.zero, begin - exchange.begin)
    if figures.resolved > 0 { metrics.nameResolution = .microseconds(figures.resolved) }
    if figures.connected > 0 { metrics.connection = .microseconds(max(0, figures.connected - figures.resolved)) }
    if figures.secured > 0 { metrics.tls = .microseconds(max(0, figures.secured - figures.connected)) }
    // libcurl's own time begins anew with each attempt.
    metrics.firstByte = firstByte.map { $0 - exchange.begin }
    guard attempts > 0 else { return metrics }
    metrics.isConnectionReused = !figures.is_new
    metrics.bytesSent = Self.headSent(
      figures.request_size - requestSizeBefore, uploaded: uploaded, version: ccurl_version()
    ).map { head in
      // libcurl's count includes the frames of chunks, and ours the bytes that are still in libcurl's buffer: the
      // lesser count is right.
      head + min(taken, uploaded)
    }
    metrics.bytesReceived = Int64(headBytes) + received
    metrics.httpVersion = Self.name(ofVersion: Int(figures.version))
    metrics.bodyEndsWithConnection = parser.head.map { head in
      hasBody(head) && head.endsWithConnection && Int(figures.version) <= Int(CURL_HTTP_VERSION_1_1)
    }
    return metrics
  }

  /// The bytes of the head of the last attempt; `nil` when libcurl does not count them.
  ///
  /// - Parameter size: The bytes that libcurl counts for the attempt. From version 8.8.0 on the body is in the count.
  static func headSent(_ size: Int64, uploaded: Int64, version: UInt32) -> Int64? {
    switch version {
    case ..<0x080700: size
    // https://github.com/curl/curl/issues/13269
    case ..<0x080800: nil
    default: max(0, size - uploaded)
    }
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
