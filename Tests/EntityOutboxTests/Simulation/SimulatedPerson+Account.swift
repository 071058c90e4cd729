@testable import EntityOutbox

// The account of a person, and another one that is signed in at times.

extension SimulatedPerson {
  /// Signs in as another account, or as the own one again, and starts the outbox, as an app does after a sign-in. The requests
  /// under way have the token of the earlier account. Edits go on: they wait for the account that the file belongs to.
  func changeAccount() async throws {
    // Before the first claim the file belongs to nobody.
    if !settings.isAway, try await !client.hasOwner() { return }
    settings.isAway.toggle()
    log("signs in as \(settings.signedIn ?? "nobody")")
    client.line.signIn(settings.signedIn)
    if settings.isStarted { await client.outbox.engine.start() }
    try await settleDown()
  }
}

extension SimulatedPerson.Settings {
  /// The account that is signed in; `nil` where the client names none.
  var signedIn: String? { isAway ? "somebody else" : account }
}

extension SimulatedServer {
  /// The account of a client's changes.
  static func account(of client: Int) -> String { "account \(client)" }

  /// No change is sent with the token of another account. Each account may read the collections.
  static func checkAccount(of call: Call, _ state: inout State) {
    guard !call.isRefresh, let account = call.account, account != Self.account(of: call.client) else { return }
    state.violations.append("\(call.client): \(call.name) has the token of \(account)")
  }
}
