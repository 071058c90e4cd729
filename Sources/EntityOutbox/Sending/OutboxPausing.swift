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
  /// The number of failures in a row.
  private(set) var failures = 0

  mutating func begin(_ reason: Reason, until: Double) { (self.reason, self.until) = (reason, until) }

  /// The server could not be reached once more.
  mutating func goOffline(until: Double) {
    failures += 1
    begin(.offline, until: until)
  }

  /// The server answered, with whatever status.
  mutating func endOffline() { if case .offline = reason { end() } }

  /// The server was busy once more.
  mutating func goBusy(until: Double) {
    failures += 1
    begin(.busy, until: until)
  }

  /// The server answered, or the app says that the pause is over.
  mutating func end() { self = OutboxPausing() }

  /// The pause where the store fails is short: the next try finds out.
  mutating func storeFailed(_ error: any Error, now: Double) {
    if error is CancellationError { return }
    begin(.store(RequestError.shown(error)), until: now + 10)
  }

  mutating func storeWorks() { if case .store = reason { end() } }

  /// The pause for a person; `nil` for none.
  func text(_ now: Double) -> String? {
    guard let until, until > now else { return nil }
    switch reason {
    case .offline, .busy:
      let limit = Int(Backoff.limit(failures: failures))
      return "\(reason == .busy ? "the server is busy" : "offline"), next try in \(Int((until - now).rounded(.up))) s "
        + "(jitter 0…\(limit) s, \(failures) failure\(failures == 1 ? "" : "s"))"
    case .unauthorized: return "the server refused the credentials; sign in, and start the outbox again"
    case .otherAccount: return "the file's changes belong to another account"
    case .copied: return "the file is a copy of another one, which may send the same changes"
    case .otherSender: return "another sender has the file's outbox"
    case .store(let problem): return "the store failed: \(problem)"
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
