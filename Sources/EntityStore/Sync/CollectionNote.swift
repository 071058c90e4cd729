/// The note of a stored collection: a list of the server, whose members are rows of the store, in their order.
///
/// The members stand in a table of their own. The note is written with the members of a page, in the transaction that
/// takes the page in. The store knows nothing of requests. The requester makes the key, which is an ``AnswerKey``, and
/// the text, which has the place of the next page, the validators and the token of changes.
package struct CollectionNote: Sendable, Equatable {
  package var entity: String
  package var text: String
  /// When the server last sent or confirmed the beginning of the list, in seconds since 1970.
  package var time: Double
  /// The time in the note itself: the server may have confirmed the list since.
  let noted: Double
  /// The requester's text of the last confirmation, which is in no file; `nil` where the note says all.
  package internal(set) var confirmation: String?
  /// Whether the members are all that the server's pages had, from the first to the last.
  package var isComplete: Bool
  /// 0, 1 for ``End/written``, or more: each time that the list may lack something counts, so that a walk that began before
  /// does not settle it.
  package var mark: Int64

  /// Why the next answer has to be whole.
  package enum End: Sendable {
    case none
    /// The server may have another list, because the entity was written or a member was deleted.
    case written
    /// The store may lack something that the server sent.
    case lacking
  }

  package init(entity: String, text: String, time: Double, isComplete: Bool) {
    self.entity = entity
    self.text = text
    self.time = time
    noted = time
    self.isComplete = isComplete
    mark = 0
  }

  package var end: End {
    switch mark {
    case ...0: .none
    case 1: .written
    default: .lacking
    }
  }
  package var isEnded: Bool { end != .none }

  /// Whether a confirmation is written: the time in the note is older than a tenth of the lifetime of the objects. So a list that
  /// never changes is not evicted, and an equal answer that comes soon writes nothing.
  func isOld(at time: Double, _ schema: SchemaModel) -> Bool {
    guard let model = schema.entity(ofTable: entity), model.age != nil else { return false }
    return time - noted > Double(model.lag)
  }

  /// Whether another note says the same, apart from its time.
  func saysTheSame(as other: CollectionNote) -> Bool {
    entity == other.entity && text == other.text && isComplete == other.isComplete && mark == other.mark
  }
}
