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
  /// What is known of the TLS connection beyond libcurl's words.
  let tls: UnsafeMutablePointer<ccurl_tls>

  /// The transfer that has the handle.
  var transfer: CurlTransfer?
  var isInMulti = false

  /// Those whose options the handle has; `nil` where it has libcurl's defaults.
  var settings: CurlSettings?
  /// Whether only a URL, a time and a list of header lines were set for the transfer: these are set anew for the next one.
  var isPlain = true
  var address: String?
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
    errorBuffer.deallocate()
    tls.deallocate()
  }

  /// Takes all options back.
  func clear() {
    curl_easy_reset(easy)
    settings = nil
    isPlain = true
    address = nil
    connectTimeout = nil
    dropHeaders()
  }

  /// The list is libcurl's as long as the option is set.
  func dropHeaders() {
    headerLines = nil
    curl_slist_free_all(headerList)
    headerList = nil
  }
}
