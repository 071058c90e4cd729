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
