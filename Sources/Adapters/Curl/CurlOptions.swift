internal import CCurl
internal import EntityRequests
internal import Foundation

/// Sets a handle up for one transfer. Reasons for single options: https://curl.se/libcurl/c/curl_easy_setopt.html.
struct CurlOptions {
  let handle: UnsafeMutableRawPointer

  init(_ handle: UnsafeMutableRawPointer) { self.handle = handle }

  /// - Throws: An option that libcurl does not take is an error, never a request with less protection than asked for.
  func apply(_ transfer: CurlTransfer) throws(TransportError) {
    let configuration = transfer.exchange.configuration
    try engine(transfer)
    try protocols(transfer.exchange.request)
    try limits(transfer.exchange)
    try proxy(configuration.proxy)
    try set(transfer.observeTLS(handle), "SSL_CTX_FUNCTION")
    try trust(configuration.trust)
    try identity(configuration.clientIdentity)
    try pins(configuration.pinnedKeys, transfer.exchange.request)
    try request(transfer)
    try callbacks(transfer)
  }

  private func engine(_ transfer: CurlTransfer) throws(TransportError) {
    try set(ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, transfer.errorBuffer), "ERRORBUFFER")
    // Signals and threads do not mix.
    try set(CURLOPT_NOSIGNAL, 1)
    // Without it, giving up a hung name lookup waits for the resolver's thread, and with it every transfer.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(ccurl_sockets_observe(handle, transfer.loop.sockets), "CLOSESOCKETFUNCTION")
  }

  private func protocols(_ request: PreparedRequest) throws(TransportError) {
    // libcurl speaks file, ftp, smb and more.
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_HTTP_VERSION, Self.httpVersion)
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_UNRESTRICTED_AUTH, 0)
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // A path that was signed or compared must go out as it is, dot segments included.
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_URL, request.address)
  }

  /// libcurl before 8.2 reports truncated HTTP/2 bodies as success (curl #10693, #10715) and stalls uploads (#11426).
  static let httpVersion =
    ccurl_version() < 0x080200 ? Int(CURL_HTTP_VERSION_1_1) : Int(CURL_HTTP_VERSION_2TLS)

  private func limits(_ exchange: CurlExchange) throws(TransportError) {
    if let connect = exchange.limits.connect { try set(CURLOPT_CONNECTTIMEOUT_MS, connect.wholeMilliseconds) }
    // Idle and total time are kept by the engine: libcurl's count whole seconds, and time spent waiting for a connection.
    try set(CURLOPT_MAXAGE_CONN, 60)
    try set(CURLOPT_MAXLIFETIME_CONN, 600)
    try set(CURLOPT_BUFFERSIZE, 64 << 10)
    // See BodyDecoder.
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
  }

  private func request(_ transfer: CurlTransfer) throws(TransportError) {
    let request = transfer.exchange.request
    for line in request.headerLines { try add(line, transfer) }
    switch transfer.exchange.payload {
    case .none where request.method == "HEAD":
      try set(CURLOPT_NOBODY, 1)
    case .none where !["POST", "PUT", "PATCH"].contains(request.method):
      try set(CURLOPT_HTTPGET, 1)
      if request.method != "GET" { try set(CURLOPT_CUSTOMREQUEST, request.method) }
    case let payload:
      // For methods that enclose content, its absence is announced too: Content-Length: 0 (RFC 9110 §8.6).
      try set(CURLOPT_UPLOAD, 1)
      try set(CURLOPT_CUSTOMREQUEST, request.method)
      // A length of -1 makes it chunked.
      try set(ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, payload.length ?? -1), "INFILESIZE_LARGE")
      // Else libcurl waits a second for a 100 that few servers send.
      if !request.hasHeader("expect") { try add("Expect:", transfer) }
    }
    if let agent = transfer.exchange.configuration.userAgent { try set(CURLOPT_USERAGENT, agent) }
    if transfer.exchange.configuration.acceptsCompression, !request.hasHeader("accept-encoding") {
      // A range of a coded body is of no use.
      try add(request.asksForBytes ? "Accept-Encoding: identity" : ContentCoding.acceptedLine, transfer)
    }
    try set(ccurl_set_list(handle, CURLOPT_HTTPHEADER, transfer.headerList), "HTTPHEADER")
  }

  private func add(_ line: String, _ transfer: CurlTransfer) throws(TransportError) {
    guard let list = curl_slist_append(transfer.headerList, line) else { throw outOfMemory() }
    transfer.headerList = list
  }

  private func callbacks(_ transfer: CurlTransfer) throws(TransportError) {
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    try set(ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION, onHeader), "HEADERFUNCTION")
    try set(ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION, onWrite), "WRITEFUNCTION")
    try set(ccurl_set_data_callback(handle, CURLOPT_READFUNCTION, onRead), "READFUNCTION")
    try set(ccurl_set_seek_callback(handle, onSeek), "SEEKFUNCTION")
    try set(ccurl_set_prereq_callback(handle, onRequest), "PREREQFUNCTION")
    for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA] {
      try set(ccurl_set_pointer(handle, option, context), "callback data")
    }
    if transfer.exchange.progress != nil, transfer.exchange.payload.length != 0 {
      try set(ccurl_set_progress_callback(handle, onProgress), "XFERINFOFUNCTION")
      try set(ccurl_set_pointer(handle, CURLOPT_XFERINFODATA, context), "XFERINFODATA")
      try set(CURLOPT_NOPROGRESS, 0)
    }
  }

  // MARK: Setting

  func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
    try set(ccurl_set_long(handle, option, value), "\(option.rawValue)")
  }

  func set(_ option: CURLoption, _ value: String) throws(TransportError) {
    guard !value.utf8.contains(0) else { throw invalid("A setting has a NUL byte.") }
    try set(ccurl_set_string(handle, option, value), "\(option.rawValue)")
  }

  func set(_ code: CURLcode, _ name: @autoclosure () -> String) throws(TransportError) {
    guard code != CURLE_OK else { return }
    if code == CURLE_OUT_OF_MEMORY { throw outOfMemory() }
    throw TransportError(
      .unsupported, "This libcurl does not take option \(name()): \(String(cString: curl_easy_strerror(code))).",
      code: Int(code.rawValue), mayHaveBeenProcessed: false)
  }
}

extension Duration {
  /// At least 1: zero would mean libcurl's default.
  fileprivate var wholeMilliseconds: Int {
    let parts = components
    guard parts.seconds < 1 << 20 else { return (1 << 20) * 1000 }
    guard parts.seconds >= 0 else { return 1 }
    return max(1, Int(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000))
  }
}
