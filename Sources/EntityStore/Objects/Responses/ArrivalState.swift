/// The update of an object from a response that runs.
@usableFromInline final class ArrivalState {
  /// Set while values from a response are written to objects.
  var update: ObjectUpdate? {
    get { storedUpdate }
    set {
      storedUpdate = newValue
      noteAttention()
    }
  }
  // It is read, assigned or exchanged, and nothing else runs meanwhile: no access needs a check.
  @exclusivity(unchecked) private var storedUpdate: ObjectUpdate?
  /// A raw value that the next setter takes in place of the one it is given.
  var arriving: ArrivingValue? {
    get { storedArriving }
    set {
      storedArriving = newValue
      noteAttention()
    }
  }
  private var storedArriving: ArrivingValue?
  /// The duties of a setter of an equal value, as bits: 1 for an update from a response, 2 for a value that is arriving, 4
  /// for an absent key.
  @usableFromInline let attention = AttentionBits()
  /// Whether the update by hand that runs read an absent key last: the next setter is called with the value that the
  /// property has.
  var readsAbsent: Bool {
    get { attention.bits & 4 != 0 }
    set { attention.set(newValue ? attention.bits | 4 : attention.bits & ~4) }
  }
  /// Saved edits that the response overwrites, to be ended when its values are in the rows.
  var overwritten: [RowKey: Overwritten] = [:]

  /// Takes `other` for the update that runs, and gives that one for it.
  func exchangeUpdate(_ other: inout ObjectUpdate?) {
    swap(&storedUpdate, &other)
    noteAttention()
  }

  /// Whether the update that runs is one of the object with this state, and keeps local edits.
  func isPlainUpdate(of state: ObjectState) -> Bool {
    storedUpdate.map { $0.state === state && $0.policy.keepsEdits } ?? false
  }

  /// As ``isPlainUpdate(of:)``, where no order of answers counts.
  func isOnlyUpdate(of state: ObjectState) -> Bool {
    storedUpdate.map { $0.state === state && $0.order == nil && $0.policy.keepsEdits } ?? false
  }

  private func noteAttention() {
    attention.set(attention.bits & 4 | (update == nil ? 0 : 1) | (arriving == nil ? 0 : 2))
  }
}
