import EntityRequests

/// The pause of an outbox, if it pauses.
struct OutboxPausing: Sendable {
  enum Reason: Sendable, Equatable {
    case offline, busy, unauthorized, otherAccount, copied, otherSender
    case store(String)
  }

  private(set) var reason: Reason?
  /// The end of the pause in seconds since 1970: `.infinity` until something else ends it.
  private(set) var until: Double?
  /// The number of failures in a row. Requests that were under way together count as one.
  private(set) var failures = 0
  /// Whether the store could not be read, so that a read ends the pause. A full disk can still be read.
  private var isReadFailure = false
  /// The number of the last request that had begun when the last counted failure came.
  private var last = 0

  mutating func begin(_ reason: Reason, until: Double) { (self.reason, self.until) = (reason, until) }

  /// Whether the failure of a request says something new. Requests that were under way when the pause began, and those that
  /// end while it lasts, fail for the reason that the pause has.
  ///
  /// - Parameter request: The number of the request in the order of their beginnings.
  func counts(_ request: Int, now: Double) -> Bool {
    switch reason {
    case .offline, .busy: request > last && until.map { $0 <= now } ?? true
    // Another reason ends with the person or the other sender, and not with time.
    case .unauthorized, .otherAccount, .copied: false
    case .otherSender, .store, nil: true
    }
  }

  /// The server could not be reached once more.
  ///
  /// - Parameter last: The number of the last request that has begun.
  mutating func goOffline(until: Double, last: Int) {
    failures += 1
    self.last = last
    begin(.offline, until: until)
  }

  /// The server answered, with whatever status.
  mutating func endOffline() { if case .offline = reason { end() } }

  /// The server was busy once more.
  ///
  /// - Parameter last: The number of the last request that has begun.
  mutating func goBusy(until: Double, last: Int) {
    failures += 1
    self.last = last
    begin(.busy, until: until)
  }

  /// The server asks for a longer wait in the answer to another request that was under way.
  mutating func prolong(until: Double) {
    if case .busy = reason { self.until = max(self.until ?? until, until) }
  }

  /// The server answered, or the app says that the pause is over.
  mutating func end() { self = OutboxPausing() }

  /// The pause where the store fails is short: the next try finds out.
  mutating func storeFailed(_ error: any Error, now: Double, isRead: Bool = false) {
    if error is CancellationError { return }
    begin(.store(RequestError.shown(error)), until: now + 10)
    isReadFailure = isRead
  }

  /// The store was read.
  mutating func storeWorks() { if case .store = reason, isReadFailure { end() } }

  /// The pause for a person; `nil` for none.
  ///
  /// - Parameter triesAgain: Whether the outbox goes on by itself when the time of the pause is over.
  func text(_ now: Double, triesAgain: Bool = true) -> String? {
    guard let until, until > now else { return nil }
    switch reason {
    case .offline, .busy:
      let fact = reason == .busy ? "the server is busy" : "offline"
      let count = "\(failures) failure\(failures == 1 ? "" : "s")"
      guard triesAgain else { return "\(fact), \(count)" }
      let limit = Int(Backoff.limit(failures: failures))
      return "\(fact), next try in \(Int((until - now).rounded(.up))) s (jitter 0…\(limit) s, \(count))"
    case .unauthorized: return "the server refused the credentials; sign in, and start the outbox again"
    case .otherAccount: return "the file's changes belong to another account; sign in as that account, or call adopt()"
    case .copied:
      return "the file is a copy of another one, which may send the same changes; call adopt() where that one sends "
        + "nothing any more"
    case .otherSender: return "another sender has the file's outbox"
    case .store(let reason): return "the store failed: \(reason)"
    case nil: return nil
    }
  }

  func shown(_ now: Double) -> OutboxPause? {
    guard let reason, let until, until > now else { return nil }
    return switch reason {
    case .offline: .offline(until: until)
    case .busy: .busy(until: until)
    case .unauthorized: .unauthorized
    case .otherAccount: .otherAccount
    case .copied: .copied
    case .otherSender: .otherSender
    case .store(let text): .store(text)
    }
  }
}
