internal import AdapterDecorators
internal import CCurl
internal import EntityRequests
internal import Foundation

/// The way to the server, and the proofs of both ends.
extension CurlOptions {
  func proxy(_ proxy: CurlAdapter.Proxy) throws(TransportError) {
    // If they were not set, libcurl would read both from the environment.
    switch proxy {
    case .none:
      try set(CURLOPT_PROXY, "")
      try set(CURLOPT_NOPROXY, "*")
    case .server(let url):
      try server(url)
    case .authenticated(let url, let user, let password):
      try server(url)
      // The only scheme that needs no second request; a body could not be sent with a second one.
      try set(CURLOPT_PROXYAUTH, Int(basicAuthentication))
      try set(CURLOPT_PROXYUSERNAME, user)
      try set(CURLOPT_PROXYPASSWORD, password)
    }
    // The request's headers are for the server, not for a proxy on the way.
    try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  private func server(_ url: URL) throws(TransportError) {
    guard ["http", "https", "socks5", "socks5h"].contains(url.scheme?.lowercased() ?? ""), url.host != nil,
      url.port != nil, url.user == nil, url.password == nil
    else { throw invalid("The proxy is not an http, https, socks5 or socks5h URL with host and port.") }
    try set(CURLOPT_PROXY, url.absoluteString)
    try set(CURLOPT_NOPROXY, "")
  }

  func trust(_ trust: CurlAdapter.Trust) throws(TransportError) {
    for option in [CURLOPT_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYPEER] { try set(option, 1) }
    for option in [CURLOPT_SSL_VERIFYHOST, CURLOPT_PROXY_SSL_VERIFYHOST] { try set(option, 2) }
    for option in [CURLOPT_SSLVERSION, CURLOPT_PROXY_SSLVERSION] { try set(option, Int(CURL_SSLVERSION_TLSv1_2)) }
    switch trust {
    case .system: break
    case .file(let url):
      guard url.isFileURL else { throw invalid("The certificate authorities' file is not a file URL.") }
      for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] { try set(option, url.path) }
    case .pem(let pem):
      for option in [CURLOPT_CAINFO_BLOB, CURLOPT_PROXY_CAINFO_BLOB] { try set(option, pem) }
    }
    if trust != .system {
      // Otherwise the system's directory of authorities would be trusted beside the given ones.
      for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] {
        try set(ccurl_set_string(handle, option, nil), "CAPATH")
      }
    }
  }

  func identity(_ identity: CurlAdapter.ClientIdentity?) throws(TransportError) {
    guard let identity else { return }
    switch identity.content {
    case .pem(let certificate, let key):
      try set(CURLOPT_SSLCERTTYPE, "PEM")
      try set(CURLOPT_SSLKEYTYPE, "PEM")
      try set(CURLOPT_SSLCERT_BLOB, certificate)
      try set(CURLOPT_SSLKEY_BLOB, key)
    case .pkcs12(let archive):
      try set(CURLOPT_SSLCERTTYPE, "P12")
      try set(CURLOPT_SSLCERT_BLOB, archive)
    }
    // Without a password OpenSSL would ask for it on the terminal.
    try set(CURLOPT_KEYPASSWD, identity.password ?? "")
  }

  func pins(_ keys: [String]) throws(TransportError) {
    guard !keys.isEmpty else { return }
    guard keys.allSatisfy({ Data(base64Encoded: $0)?.count == 32 }) else {
      throw invalid("A pinned key is not a SHA-256 in base64.")
    }
    try set(CURLOPT_PINNEDPUBLICKEY, keys.map { "sha256//" + $0 }.joined(separator: ";"))
  }

  private func set(_ option: CURLoption, _ bytes: Data) throws(TransportError) {
    let code = bytes.withUnsafeBytes { ccurl_set_blob(handle, option, $0.baseAddress, $0.count) }
    try set(code, "\(option.rawValue)")
  }
}

/// CURLAUTH_BASIC, a macro with a cast that Swift does not import.
private let basicAuthentication = 1
