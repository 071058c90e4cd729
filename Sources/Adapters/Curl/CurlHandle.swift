internal import CCurl

/// An easy handle of libcurl, with the things that libcurl has pointers to.
///
/// Not `Sendable`: it is made, used and dropped by the loop of the engine. libcurl's callbacks get an unretained
/// pointer to the handle. The pointer is valid while the handle is in the multi handle: during this time ``CurlLoop``
/// retains the transfer, and the transfer retains the handle.
///
/// A handle keeps most options for the next request of the same adapter. Setting the options takes longer than all else
/// that an adapter does for a small request.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  /// CURLOPT_ERRORBUFFER: libcurl writes to it for as long as the handle has it.
  let errorBuffer: UnsafeMutablePointer<CChar>
  /// Facts about the TLS connection that libcurl does not tell.
  let tls: UnsafeMutablePointer<ccurl_tls>

  /// The transfer that has the handle.
  var transfer: CurlTransfer?
  var isInMulti = false

  /// The settings whose options the handle has; `nil` when it has libcurl's defaults.
  var settings: CurlSettings?
  /// Whether only a URL, a timeout and a list of header lines were set for the transfer. The next transfer replaces
  /// each of these that differs.
  var isPlain = true
  var address: String?
  /// The parts of the address. libcurl reads them for as long as the option is set.
  private var url: OpaquePointer?
  var connectTimeout: Duration?
  /// The lines of a plain request that `headerList` was made of.
  var headerLines: [String]?
  var headerList: UnsafeMutablePointer<curl_slist>?

  init?() {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    tls = .allocate(capacity: 1)
    tls.initialize(to: ccurl_tls(events: nil, has_certificate: false, logs_keys: false))
  }

  deinit {
    curl_easy_cleanup(easy)
    ccurl_tls_release(tls)
    curl_slist_free_all(headerList)
    curl_url_cleanup(url)
    errorBuffer.deallocate()
    tls.deallocate()
  }

  /// Sets all options back to libcurl's defaults.
  func clear() {
    curl_easy_reset(easy)
    settings = nil
    isPlain = true
    address = nil
    setParts(nil)
    connectTimeout = nil
    dropHeaders()
  }

  /// Parses an address once for all requests to it. Otherwise libcurl parses the address, and makes a text of it again,
  /// for each request.
  ///
  /// A URL that can't be parsed is left to libcurl, which says why. The flags are those of `CURLOPT_PATH_AS_IS` and
  /// `CURLOPT_DISALLOW_USERNAME_IN_URL`.
  func parse(_ address: String) -> CURLcode {
    var parts = curl_url()
    if curl_url_set(parts, CURLUPART_URL, address, UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)) != CURLUE_OK {
      curl_url_cleanup(parts)
      parts = nil
    }
    let code = ccurl_set_pointer(easy, CURLOPT_CURLU, parts.map { UnsafeMutableRawPointer($0) })
    setParts(parts)
    return code
  }

  private func setParts(_ parts: OpaquePointer?) {
    curl_url_cleanup(url)
    url = parts
  }

  /// Frees the list of header lines, which libcurl reads for as long as the option is set.
  func dropHeaders() {
    headerLines = nil
    curl_slist_free_all(headerList)
    headerList = nil
  }
}
