/// The note of an answer: the objects that it had, so that they are found again without a request.
///
/// It is written in the transaction that takes the answer in. Its rows are those of the store, whatever changed them since:
/// nothing is taken in a second time. The store knows nothing of the request; key and text are the requester's.
///
/// A note *ends* when the store may lack something of the answer: with a pending change that the app takes back or settles by
/// itself, with a deletion that is over, and with a write of the entity. Then "not modified" would say nothing, and the next
/// request must bring the whole answer. The objects stay known.
package struct AnswerNote: Sendable, Equatable {
  package var entity: String
  /// The row ids of the answer's own objects, in its order.
  package var pks: [Int64]
  /// Those of the objects of its parts, by the names of their entities.
  package var parts: [String: [Int64]]
  /// Those of the objects of lists of several entities, in their order; they are among those of the parts.
  package var items: [Int64]
  package var text: String
  /// When the server said so last, in seconds since 1970.
  package internal(set) var time: Double
  /// The time that the note itself has: the server may have confirmed it since.
  let noted: Double
  package internal(set) var isEnded = false
  /// Whether all of its rows are there. Those that are gone are left out.
  package internal(set) var isWhole = true

  /// The entities that it has objects of.
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

  /// Whether it is the same note, and not one of a later answer, and nothing of it is lost.
  package func isSame(as other: AnswerNote) -> Bool {
    noted == other.noted && saysTheSame(as: other) && isWhole == other.isWhole
  }

  /// Whether another note says the same, its time apart.
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
