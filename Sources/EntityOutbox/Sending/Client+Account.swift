import EntityRequests

extension Client {
  /// A hash of the account's name, so that the file does not have the name; empty where the client names no account.
  var accountHash: String {
    guard let name = accountName else { return "" }
    var hash = SHA256()
    hash.add(name)
    return hash.digits()
  }
}

extension String {
  /// The text cut to 16 KiB of UTF-8.
  var bounded: String { utf8.count <= 1 << 14 ? self : String(decoding: utf8.prefix(1 << 14), as: UTF8.self) }
}
