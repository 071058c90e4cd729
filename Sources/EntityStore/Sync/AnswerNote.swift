/// The note of an answer: the objects that it had, so that they are found again without a request.
///
/// It is written in the transaction that takes the answer in. The objects are those of the store, whatever changed them
/// since: nothing is taken in a second time. The store knows nothing of the request. The requester makes the key and
/// the text.
///
/// A note *ends* when the store may lack something of the answer. That happens when the app takes a pending change back
/// or settles it by itself, when a deletion is over, and when the entity is written. Then "not modified" would prove
/// nothing, and the next request must bring the whole answer. The objects stay known.
package struct AnswerNote: Sendable, Equatable {
  package var entity: String
  /// The row ids of the answer's own objects, in its order.
  package var pks: [Int64]
  /// The row ids of the objects in the answer's parts, by the names of their entities.
  package var parts: [String: [Int64]]
  /// The row ids of the objects in lists of several entities, in their order. ``parts`` has them too.
  package var items: [Int64]
  package var text: String
  /// When the server last sent or confirmed the answer, in seconds since 1970.
  package internal(set) var time: Double
  /// The time in the note itself: the server may have confirmed the answer since.
  let noted: Double
  package internal(set) var isEnded = false
  /// Whether all of its rows are there. Rows that are gone are left out.
  package internal(set) var isWhole = true

  /// The row ids of all its objects, by the names of their entities.
  package var rows: [String: [Int64]] { parts.merging([entity: pks]) { $0 + $1 } }

  /// The entities of its objects.
  var entities: Set<String> { Set(parts.keys).union([entity]) }

  package init(
    entity: String, pks: [Int64], parts: [String: [Int64]] = [:], items: [Int64] = [], text: String,
    time: Double
  ) {
    self.entity = entity
    self.pks = pks
    self.parts = parts
    self.items = items
    self.text = text
    self.time = time
    noted = time
  }

  /// Whether another note is the same note, and not the note of a later answer, and has lost nothing.
  package func isSame(as other: AnswerNote) -> Bool {
    noted == other.noted && saysTheSame(as: other) && isWhole == other.isWhole
  }

  /// Whether another note says the same, apart from its time.
  func saysTheSame(as other: AnswerNote) -> Bool {
    entity == other.entity && text == other.text && pks == other.pks && parts == other.parts
      && items == other.items
      && isEnded == other.isEnded
  }
}

/// The name of a note.
package struct AnswerKey: Sendable, Hashable {
  /// It is written into the file as it is.
  package let text: String
  /// Whether the note is for this process alone, and never in the file.
  package let isVolatile: Bool

  package init(_ text: String, isVolatile: Bool = false) {
    self.text = text
    self.isVolatile = isVolatile
  }
}

/// The place in a stream of messages up to which the rows have them.
package struct StreamPosition: Sendable {
  package let key: AnswerKey
  /// The name that the server gave to the last message.
  package let text: String
  /// When the message arrived, in seconds since 1970.
  package let time: Double

  package init(key: AnswerKey, text: String, time: Double) {
    self.key = key
    self.text = text
    self.time = time
  }
}
