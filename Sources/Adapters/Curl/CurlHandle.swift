internal import CCurl

/// An easy handle of libcurl, with the things that libcurl has pointers to.
///
/// Not `Sendable`: it is made, used and dropped by the loop of the engine. libcurl's callbacks get an unretained pointer to
/// the handle. The pointer is valid while the handle is in the multi handle: for so long its transfer retains the handle,
/// and ``CurlLoop`` the transfer.
///
/// A handle keeps most options for the next request of the same adapter. To set them takes longer than all else that an
/// adapter does for a small request.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  /// CURLOPT_ERRORBUFFER: libcurl writes to it for as long as the handle has it.
  let errorBuffer: UnsafeMutablePointer<CChar>
  /// The facts known of the TLS connection beyond libcurl's words.
  let tls: UnsafeMutablePointer<ccurl_tls>

  /// The transfer that has the handle.
  var transfer: CurlTransfer?
  var isInMulti = false

  /// Those whose options the handle has; `nil` where it has libcurl's defaults.
  var settings: CurlSettings?
  /// Whether only a URL, a time and a list of header lines were set for the transfer: these are set anew for the next one.
  var isPlain = true
  var address: String?
  /// The parts of the address. libcurl reads them for as long as the option is set.
  private var url: OpaquePointer?
  var connectTimeout: Duration?
  /// The lines of a plain request that the list was made of.
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

  /// Takes all options back.
  func clear() {
    curl_easy_reset(easy)
    settings = nil
    isPlain = true
    address = nil
    setParts(nil)
    connectTimeout = nil
    dropHeaders()
  }

  /// Parses the address for all requests that have it: else libcurl parses it, and makes a text of it again, for each.
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

  /// The list is libcurl's as long as the option is set.
  func dropHeaders() {
    headerLines = nil
    curl_slist_free_all(headerList)
    headerList = nil
  }
}
