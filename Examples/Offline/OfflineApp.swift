public import EntityClient
import Observation
import SampleSchema

/// One launch of an app that works offline: its store, and the outbox that sends what was saved.
@MainActor public struct OfflineApp {
  private let store: EntityStore
  private let outbox: Outbox
  private let live: LiveOutbox
  private let say: @MainActor (String) -> Void

  /// - Parameters:
  ///   - client: Has the store, and sends the requests.
  ///   - clock: Measures the pauses of the outbox.
  ///   - say: Shows a text to the person.
  public init<C: Clock<Duration>>(
    _ client: Client, clock: C = ContinuousClock(), say: @escaping @MainActor (String) -> Void
  ) throws {
    store = try client.store
    outbox = try Outbox(client, clock: clock)
    live = LiveOutbox(outbox)
    self.say = say
  }

  // MARK: The person

  /// The person makes, edits and deletes objects, and saves after each change. No server is needed for that.
  public func edit() throws {
    let users = try store.main.fetch(User.all.sorted(by: \.uid).limited(to: 4))
    let posts = try store.main.fetch(Post.all.sorted(by: \.uid).limited(to: 2))
    guard users.count == 4, posts.count == 2 else { throw OfflineError.tooFewRows }

    users[0].email = "new.address@example.com"
    try save("edits the e-mail address of user \(users[0].uid)")

    let emmy = try store.main.insert(User.self)
    (emmy.firstName, emmy.lastName, emmy.email) = ("Emmy", "Noether", Self.newAddress)
    try save("makes the user Emmy Noether, who has no id yet")

    let comment = try store.main.insert(Comment.self)
    (comment.text, comment.post, comment.author) = ("Written on a train.", posts[0], emmy)
    try save("makes a comment of hers on post \(posts[0].uid)")

    posts[1].title = "On tunnels"
    try save("edits the title of post \(posts[1].uid)")

    let gone = users[3].uid
    try store.main.delete(users[3])
    try save("deletes user \(gone)")

    users[1].email = "no.address(at)example.com"
    try save("edits the e-mail address of user \(users[1].uid), with a mistake")
  }

  /// The e-mail address of the user that ``edit()`` makes.
  public static let newAddress = "emmy.noether@example.com"

  private func save(_ change: String) throws {
    try store.main.save()
    say("The person \(change).")
  }

  /// The person reads why changes were refused, and corrects them. An edit sends a refused change anew.
  public func settle() async throws {
    for item in try await outbox.items() {
      say("\(item): \(item.reason ?? "no reason")")
      if let refusal = try? item.model(as: Refusal.self) { say("The server says: \(refusal.error.message)") }
      guard let id = EntityID<User>(item.object), let user = try store.main.object(id) else { continue }
      user.email = user.email?.replacing("(at)", with: "@")
      try save("corrects the address of user \(user.uid): \(user.email ?? "none")")
    }
  }

  /// The body of a refusal.
  private struct Refusal: Decodable {
    struct Reason: Decodable { let message: String }
    let error: Reason
  }

  // MARK: The outbox

  /// Shows how many changes wait, and the plan: what is sent, in which order, and what each change waits for.
  public func showPlan() async throws {
    let plan = try await outbox.plan()
    let count = plan.lines.count
    say(count == 0 ? "All is sent." : "\(count) \(count == 1 ? "change waits" : "changes wait"):\n\(plan)")
  }

  /// Tries once to send, as a background task does.
  public func tryOnce() async throws {
    let pass = try await outbox.send()
    say("The outbox tries to send: \(pass.sent) sent, \(pass.left) left.")
  }

  /// Sends until nothing is left but what a person settles. Shows the outbox's log.
  public func send() async throws {
    let log = outbox.log
    let showing = Task { for await line in log { say("\(line)") } }
    defer { showing.cancel() }
    outbox.start()
    // The outbox has done something between two turns.
    for await _ in Observations({ live.count }) {
      if try await outbox.plan().lines.allSatisfy(\.waitsForPerson) { break }
    }
    // The file has the end of a request a moment before the log has it. What the log has by now is still shown.
    await outbox.stop()
    showing.cancel()
    await showing.value
  }
}

extension OutboxPlan.Line {
  /// Whether nothing but a person's decision moves the change on.
  fileprivate var waitsForPerson: Bool { number == nil }
}

/// A demonstration that did not go as it should.
public enum OfflineError: Error, CustomStringConvertible {
  case tooFewRows
  case differs(String)

  public var description: String {
    switch self {
    case .tooFewRows: "The file has too few rows to edit: four users and two posts are needed."
    case .differs(let text): text
    }
  }
}
