import Synchronization

/// The notes of answers that are in no file, and what this process knows beyond the notes of the file.
final class AnswerMemory: Sendable {
  /// The server confirmed again that an answer holds. Nothing is written for it.
  private struct Confirmation {
    /// The time of the confirmed note. A note with another time is of another answer.
    var noted: Double
    var time: Double
    /// The text since the confirmation; `nil` where it is the note's.
    var text: String?
  }

  private struct State {
    var notes: [AnswerKey: AnswerNote] = [:]
    var confirmations: [AnswerKey: Confirmation] = [:]
    /// The newest request whose answer was noted, while older ones are under way.
    var newest: [AnswerKey: RequestNumber] = [:]
    /// The number of the last write of each entity, and the text for the mapping, once it was asked for.
    var writes: [String: RequestNumber] = [:]
    var fingerprint: String?
    var areAny: Bool
    /// The rules for objects that are made here, by the keys of their collections.
    var placements: [String: CollectionPlacement] = [:]
    /// Whether a rule came since new objects were last looked for.
    var hasNewPlacements = false
    /// How many notes were added to the file since it was last trimmed; `nil` before the first time.
    var added: Int?
  }

  /// More notes than these are forgotten, and asked for again.
  static let limit = 4096

  private let state: Mutex<State>
  /// Called after each change, outside of the lock.
  let followers = AnswerFollowers()

  /// - Parameter areAny: Whether the file has notes.
  init(areAny: Bool) { state = Mutex(State(areAny: areAny)) }

  /// Whether there may be notes. A program that asks for none pays for none.
  var areAny: Bool { state.withLock(\.areAny) }

  /// The file has notes that another process made.
  func noteAny() { state.withLock { $0.areAny = true } }

  subscript(key: AnswerKey) -> AnswerNote? { state.withLock { $0.notes[key] } }

  func keep(_ note: AnswerNote, _ key: AnswerKey) {
    state.withLock { state in
      if state.notes.count >= Self.limit, state.notes[key] == nil {
        // The older half goes: perhaps nobody asks for it again.
        let times = state.notes.values.map(\.time).sorted()
        let middle = times[times.count / 2]
        state.notes = state.notes.filter { $0.value.time > middle }
      }
      state.notes[key] = note
      state.areAny = true
    }
    followers.tellChanged(key)
  }

  /// A note was added to the file.
  ///
  /// - Returns: Whether the file is to be trimmed: with the first note of the process, and then from time to time.
  func countAdded() -> Bool {
    state.withLock { state in
      state.areAny = true
      guard let added = state.added, added < Self.limit / 16 else {
        state.added = 0
        return true
      }
      state.added = added + 1
      return false
    }
  }

  // MARK: Times

  /// - Parameter text: The text from now on; `nil` where it stays.
  func confirm(_ key: AnswerKey, noted: Double, at time: Double, text: String?) {
    state.withLock { state in
      if state.confirmations.count >= Self.limit { state.confirmations = [:] }
      let last = state.confirmations[key].flatMap { $0.noted == noted ? $0.text : nil }
      state.confirmations[key] = Confirmation(noted: noted, time: time, text: text ?? last)
    }
    followers.tellChanged(key)
  }

  /// Another note may have the same time as the confirmed one.
  func forgetConfirmation(_ key: AnswerKey) { state.withLock { $0.confirmations[key] = nil } }

  func rewrite(_ key: AnswerKey, noted: Double, _ text: String) {
    let own = AnswerKey(key.text, isVolatile: true)
    state.withLock { state in if state.notes[own]?.noted == noted { state.notes[own]?.text = text } }
  }

  /// A note with the time and the text of its last confirmation.
  func confirmed(_ note: AnswerNote, _ key: AnswerKey) -> AnswerNote {
    state.withLock { state in
      guard let confirmation = state.confirmations[key], confirmation.noted == note.noted else { return note }
      var confirmed = note
      confirmed.time = max(note.noted, confirmation.time)
      if let text = confirmation.text { confirmed.text = text }
      return confirmed
    }
  }

  /// The note of a collection with the time and the text of its last confirmation. The text stands beside that of the note, which
  /// other pages change, too.
  func confirmed(_ note: CollectionNote, _ key: AnswerKey) -> CollectionNote {
    state.withLock { state in
      guard let confirmation = state.confirmations[key], confirmation.noted == note.noted else { return note }
      var confirmed = note
      confirmed.time = max(note.noted, confirmation.time)
      confirmed.confirmation = confirmation.text
      return confirmed
    }
  }

  /// The time of a note, or of its last confirmation.
  func time(of key: AnswerKey, noted: Double) -> Double {
    state.withLock { state in
      guard let confirmation = state.confirmations[key], confirmation.noted == noted else { return noted }
      return max(noted, confirmation.time)
    }
  }

  // MARK: The order of answers

  /// Whether the answer to a newer request was noted.
  func hasNewer(_ key: AnswerKey, than number: RequestNumber) -> Bool {
    state.withLock { state in state.newest[key].map(number.isOlder) ?? false }
  }

  func noteNewest(_ key: AnswerKey, _ number: RequestNumber, hasOlder: Bool) {
    state.withLock { state in
      guard hasOlder else {
        state.newest[key] = nil
        return
      }
      if state.newest.count >= Self.limit { state.newest = [:] }
      state.newest[key] = number
    }
  }

  /// The server has changed objects of an entity.
  func noteWrite(of entity: String, _ number: RequestNumber) {
    state.withLock { $0.writes[entity] = number }
    followers.tellEnded(of: entity)
  }

  /// Whether the server changed objects of one of the entities after a request was sent: the answer may be from before.
  func hasWrite(of entities: Set<String>, after number: RequestNumber) -> Bool {
    state.withLock { state in entities.contains { state.writes[$0].map(number.isOlder) ?? false } }
  }

  /// The last writes of the entities.
  func writes(of entities: Set<String>) -> String {
    state.withLock { state in
      entities.sorted().map { "\($0) \(state.writes[$0].map { "\($0)" } ?? "-")" }.joined(separator: ",")
    }
  }

  // MARK: Objects that are made here

  func hasPlacement(_ key: AnswerKey) -> Bool { state.withLock { $0.placements[key.text] != nil } }

  func add(_ placement: CollectionPlacement) {
    state.withLock { state in
      state.placements[placement.key.text] = placement
      state.hasNewPlacements = true
    }
  }

  /// - Parameter hasNews: Whether objects may have been made since this was last asked.
  func placements(hasNews: Bool) -> [CollectionPlacement] {
    state.withLock { state in
      guard hasNews || state.hasNewPlacements, !state.placements.isEmpty else { return [] }
      return state.placements.values.sorted { $0.key.text < $1.key.text }
    }
  }

  func notePlaced() { state.withLock { $0.hasNewPlacements = false } }

  // MARK: The mapping

  func fingerprint(making: () -> String) -> String {
    if let known = state.withLock(\.fingerprint) { return known }
    let made = making()
    state.withLock { $0.fingerprint = made }
    return made
  }

  // MARK: Ends

  /// Ends the notes of an entity; `nil` for all.
  func end(of entity: String?) {
    state.withLock { state in
      for (key, note) in state.notes where entity.map(note.entities.contains) ?? true {
        state.notes[key]?.isEnded = true
      }
    }
    followers.tellEnded(of: entity)
  }

  func forget(_ key: AnswerKey) {
    state.withLock { state in
      state.notes[key] = nil
      state.confirmations[key] = nil
    }
    followers.tellChanged(key)
  }

  func removeAll() {
    state.withLock { state in
      state.notes = [:]
      state.confirmations = [:]
    }
    followers.tellEmptied()
  }
}
