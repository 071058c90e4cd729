import Synchronization

/// The change of a note, as far as it is known here: one value may stand for several commits.
package struct AnswerNews: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is another note or a confirmation, or the note is forgotten.
  package static let changed = AnswerNews(rawValue: 1)
  /// "Not modified" proves nothing from here on.
  package static let ended = AnswerNews(rawValue: 2)
  /// The store was emptied.
  package static let emptied = AnswerNews(rawValue: 4)
}

/// The followers of the notes of answers in this process.
final class AnswerFollowers: Sendable {
  struct Follower: Sendable {
    let key: String
    let entities: Set<String>
    let tell: @Sendable (AnswerNews) -> Void
  }

  private struct State {
    var followers: [Int: Follower] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  fileprivate func add(_ follower: Follower) -> Int {
    state.withLock { state in
      state.last += 1
      state.followers[state.last] = follower
      return state.last
    }
  }

  fileprivate func remove(_ number: Int) {
    // The values that the handler holds are released outside of the lock.
    _ = state.withLock { $0.followers.removeValue(forKey: number) }
  }

  /// The keys of the notes that have followers.
  var keys: Set<String> { state.withLock { Set($0.followers.values.lazy.map(\.key)) } }

  /// Another note took the place of an answer's note.
  func tellChanged(_ key: AnswerKey) { tell(.changed) { $0.key == key.text } }

  /// Notes have ended.
  ///
  /// - Parameter entity: The entity of their objects; `nil` for all notes.
  func tellEnded(of entity: String?) { tell(.ended) { follower in entity.map(follower.entities.contains) ?? true } }

  func tellEmptied() { tell(.emptied) { _ in true } }

  private func tell(_ news: AnswerNews, _ isMeant: (Follower) -> Bool) {
    let followers = state.withLock { $0.followers.isEmpty ? [] : $0.followers.values.filter(isMeant) }
    for follower in followers { follower.tell(news) }
  }
}

/// Follows one answer for as long as somebody holds it.
package final class AnswerSubscription: Sendable {
  private let followers: AnswerFollowers
  private let number: Int

  init(_ followers: AnswerFollowers, _ follower: AnswerFollowers.Follower) {
    self.followers = followers
    number = followers.add(follower)
  }

  deinit { followers.remove(number) }
}
