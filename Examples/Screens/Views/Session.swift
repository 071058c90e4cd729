import Adapters
import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The token of an account. The app keeps it in the Keychain: the library writes no credentials.
actor Token {
  private(set) var text: String?
  private let refreshToken: String
  private let renewal: URL
  private let ended: @Sendable () -> Void

  /// - Parameter ended: Called when the server renews no more: the app shows its login.
  init(_ text: String, refreshToken: String, renewedAt renewal: URL, ended: @escaping @Sendable () -> Void) {
    (self.text, self.refreshToken, self.renewal, self.ended) = (text, refreshToken, renewal, ended)
  }

  func renew(by adapter: any RequestAdapter) async throws {
    var request = URLRequest(url: renewal)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let body = try JSONEncoder().encode(["refresh_token": refreshToken])
    let response = try await adapter.send(request, body: .data(body), progress: nil)
    switch response.status {
    case 200: text = String(decoding: response.body, as: UTF8.self)
    case 400, 401, 403:
      text = nil  // the requests that wait for the renewal end with their 401
      ended()
    default: throw URLError(.badServerResponse)  // the server is busy: the next request tries again
    }
  }
}

/// What belongs to one account while it is logged in.
@MainActor final class Session {
  let store: EntityStore
  let outbox: Outbox
  private let file: StoreLocation

  init(_ account: String, _ token: Token, at server: String, in file: StoreLocation, by transport: some RequestAdapter)
    throws
  {
    self.file = file
    store = try EntityStore(file, entities: [Note.self])
    var chain = StandardChain()
    chain.authentication = try .bearer(at: server) {
      await token.text
    } refresh: { adapter in
      try await token.renew(by: adapter)
    }
    let client = try Client(
      adapter: transport.standard(chain), store: store, baseURL: server, identity: { account })
    try Client.install(client)  // refused while another account is logged in
    outbox = try Outbox(client)
    outbox.start()
  }

  func logOut(deletingFile: Bool) async throws {
    await outbox.stop()  // its requests have ended
    Client.uninstall()  // from now on a verb throws `notInstalled`
    try await store.close(discardsUnsaved: true)  // no response comes in any more
    if deletingFile { try EntityStore.delete(file, backups: true) }
  }
}
