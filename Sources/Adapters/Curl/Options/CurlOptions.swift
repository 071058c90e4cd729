internal import AdapterDecorators
internal import CCurl
internal import EntityRequests
internal import Foundation

/// Sets a handle up for one transfer. Reasons for single options: https://curl.se/libcurl/c/curl_easy_setopt.html.
struct CurlOptions {
  private let owner: CurlHandle
  var handle: UnsafeMutableRawPointer { owner.easy }

  init(_ handle: CurlHandle) { owner = handle }

  /// - Throws: An option that libcurl does not take is an error, never a request with less protection than asked for. The
  ///   handle is then used no more.
  func apply(_ transfer: CurlTransfer) throws(TransportError) {
    let settings = transfer.exchange.settings
    if owner.settings !== settings {
      if owner.settings != nil { owner.clear() }
      try fixed(settings.configuration, transfer.loop)
      owner.settings = settings
    }
    owner.errorBuffer[0] = 0
    try request(transfer)
  }

  /// The options of all requests of an adapter.
  private func fixed(_ configuration: CurlAdapter.Configuration, _ loop: CurlLoop) throws(TransportError) {
    try engine(loop)
    try protocols(configuration)
    try limits()
    try proxy(configuration.proxy)
    owner.tls.pointee.has_certificate = configuration.clientIdentity != nil
    owner.tls.pointee.logs_keys = configuration.logsTLSKeys
    if CurlEngine.observesTLS { try set(ccurl_tls_observe(handle, owner.tls), "SSL_CTX_FUNCTION") }
    try trust(configuration.trust)
    try identity(configuration.clientIdentity)
    try pins(configuration.pinnedKeys)
    if let agent = configuration.userAgent { try set(CURLOPT_USERAGENT, agent) }
    try callbacks()
  }

  private func engine(_ loop: CurlLoop) throws(TransportError) {
    try set(ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, owner.errorBuffer), "ERRORBUFFER")
    // Signals and threads do not mix.
    try set(CURLOPT_NOSIGNAL, 1)
    // Without this option, giving up a hung name lookup waits for the resolver's thread, and every transfer waits with
    // it.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(ccurl_sockets_observe(handle, loop.sockets), "CLOSESOCKETFUNCTION")
  }

  private func protocols(_ configuration: CurlAdapter.Configuration) throws(TransportError) {
    // libcurl speaks file, ftp, smb and more.
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_HTTP_VERSION, Self.httpVersion(allowsHTTP2: configuration.allowsHTTP2))
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_UNRESTRICTED_AUTH, 0)
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // A path that was signed or compared must go out as it is, dot segments included.
    try set(CURLOPT_PATH_AS_IS, 1)
  }

  /// libcurl before 8.2 reports truncated HTTP/2 bodies as success (curl #10693, #10715) and stalls uploads (#11426).
  static let isSafeWithHTTP2 = ccurl_version() >= 0x080200

  static func httpVersion(allowsHTTP2: Bool) -> Int {
    allowsHTTP2 && isSafeWithHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1)
  }

  private func limits() throws(TransportError) {
    // The engine keeps the idle and the total time: libcurl counts whole seconds, and the wait for a connection, too.
    try set(CURLOPT_MAXAGE_CONN, 60)
    try set(CURLOPT_MAXLIFETIME_CONN, 600)
    try set(CURLOPT_BUFFERSIZE, 64 << 10)
    // See BodyDecoder.
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
  }

  private func request(_ transfer: CurlTransfer) throws(TransportError) {
    let exchange = transfer.exchange
    let request = exchange.request
    if !exchange.settings.configuration.pinnedKeys.isEmpty, request.origin.scheme != "https" {
      throw invalid("The adapter has pinned keys, and the URL is not https.")
    }
    if owner.address != request.address {
      try set(CURLOPT_URL, request.address)
      try set(owner.parse(request.address), "CURLU")
      owner.address = request.address
    }
    if owner.connectTimeout != exchange.limits.connect {
      // 0 is libcurl's own limit.
      try set(CURLOPT_CONNECTTIMEOUT_MS, exchange.limits.connect?.wholeMilliseconds ?? 0)
      owner.connectTimeout = exchange.limits.connect
    }
    if case .none = exchange.payload, request.method == "GET" {
      try plain(request, exchange.settings)
    } else {
      owner.isPlain = false
      try other(request, transfer)
    }
  }

  /// A GET without a body, as most requests are.
  private func plain(
    _ request: PreparedRequest, _ settings: CurlSettings
  ) throws(TransportError) {
    guard owner.headerLines != request.headerLines else { return }
    owner.dropHeaders()
    for line in request.headerLines { try add(line) }
    try finishHeaders(request, settings.configuration)
    owner.headerLines = request.headerLines
  }

  private func other(_ request: PreparedRequest, _ transfer: CurlTransfer) throws(TransportError) {
    owner.dropHeaders()
    for line in request.headerLines { try add(line) }
    switch transfer.exchange.payload {
    case .none where request.method == "HEAD":
      try set(CURLOPT_NOBODY, 1)
    case .none where !["POST", "PUT", "PATCH"].contains(request.method):
      try set(CURLOPT_HTTPGET, 1)
      try set(CURLOPT_CUSTOMREQUEST, request.method)
    case let payload:
      // For methods that enclose content, its absence is announced too: Content-Length: 0 (RFC 9110 §8.6).
      try set(CURLOPT_UPLOAD, 1)
      try set(CURLOPT_CUSTOMREQUEST, request.method)
      // A length of -1 makes the body chunked.
      try set(ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, payload.length ?? -1), "INFILESIZE_LARGE")
      // Otherwise libcurl waits a second for a 100 that few servers send.
      if !request.hasHeader("expect") { try add("Expect:") }
    }
    try finishHeaders(request, transfer.exchange.settings.configuration)
    if transfer.exchange.progress != nil, transfer.exchange.payload.length != 0 {
      try set(ccurl_set_progress_callback(handle, onProgress), "XFERINFOFUNCTION")
      try set(ccurl_set_pointer(handle, CURLOPT_XFERINFODATA, context), "XFERINFODATA")
      try set(CURLOPT_NOPROGRESS, 0)
    }
  }

  private func finishHeaders(
    _ request: PreparedRequest, _ configuration: CurlAdapter.Configuration
  ) throws(TransportError) {
    if configuration.acceptsCompression, !request.hasHeader("accept-encoding") {
      // A range of a coded body is of no use.
      try add(request.asksForBytes ? "Accept-Encoding: identity" : ContentCoding.acceptedLine)
    }
    try set(ccurl_set_list(handle, CURLOPT_HTTPHEADER, owner.headerList), "HTTPHEADER")
  }

  private func add(_ line: String) throws(TransportError) {
    guard let list = curl_slist_append(owner.headerList, line) else { throw outOfMemory() }
    owner.headerList = list
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(owner).toOpaque() }

  private func callbacks() throws(TransportError) {
    try set(ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION, onHeader), "HEADERFUNCTION")
    try set(ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION, onWrite), "WRITEFUNCTION")
    try set(ccurl_set_data_callback(handle, CURLOPT_READFUNCTION, onRead), "READFUNCTION")
    try set(ccurl_set_seek_callback(handle, onSeek), "SEEKFUNCTION")
    try set(ccurl_set_prereq_callback(handle, onRequest), "PREREQFUNCTION")
    for option in [
      CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA, CURLOPT_PRIVATE,
    ] {
      try set(ccurl_set_pointer(handle, option, context), "callback data")
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
  var wholeMilliseconds: Int {
    let parts = components
    guard parts.seconds < 1 << 20 else { return (1 << 20) * 1000 }
    guard parts.seconds >= 0 else { return 1 }
    return max(1, Int(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000))
  }
}
