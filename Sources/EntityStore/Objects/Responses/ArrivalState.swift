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
  /// Whether values from a response are written to objects.
  var isUpdating: Bool { attention.bits & 1 != 0 }

  /// The update that runs has set a property.
  func touch(_ object: any ManagedEntity, _ index: Int) { storedUpdate?.order?.touch(object, index) }

  /// Whether the update by hand that runs read an absent key last: the next setter is called with the value that the
  /// property has.
  var readsAbsent: Bool {
    get { attention.bits & 4 != 0 }
    set { attention.set(newValue ? attention.bits | 4 : attention.bits & ~4) }
  }
  /// Saved edits that the response overwrites, to be ended when its values are in the rows.
  var overwritten: [RowKey: Overwritten] = [:]

  /// The columns with rules of their own, for each update that runs. The innermost update is the last.
  @exclusivity(unchecked) private var underWay: [ColumnRules] = []

  /// An update begins.
  ///
  /// - Returns: The update in which it stands, for ``end(backTo:)``.
  func begin(_ update: ObjectUpdate, _ columns: ColumnRules) -> ObjectUpdate? {
    let outer = storedUpdate
    storedUpdate = update
    underWay.append(columns)
    noteAttention()
    return outer
  }

  /// The update that began last ends.
  func end(backTo outer: ObjectUpdate?) {
    storedUpdate = outer
    underWay.removeLast()
    noteAttention()
  }

  /// The columns of an object that the update of it must not set. There are none where no update of the object runs.
  func held(of state: ObjectState) -> ColumnMask { columns(of: state)?.held ?? ColumnMask() }

  /// The columns of an object that the mapping has set before the update by hand.
  func settled(of state: ObjectState) -> ColumnMask { columns(of: state)?.rules.settled ?? ColumnMask() }

  /// Whether the place of an object in the response says what a link is, and the update by hand has not set that link.
  func isPlaced(_ link: Int, of state: ObjectState) -> Bool { columns(of: state)?.rules.placed.contains(link) ?? false }

  /// The update by hand has set a link that the place of its object said.
  func setPlaced(_ link: Int, of state: ObjectState) {
    guard let index = underWay.lastIndex(where: { $0.object == ObjectIdentifier(state) }) else { return }
    underWay[index].rules.placed.subtract(ColumnMask(link))
  }

  private func columns(of state: ObjectState) -> ColumnRules? { underWay.last { $0.object == ObjectIdentifier(state) } }

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

/// The columns of an object that an update by hand must not set or clear.
package struct UpdateRules {
  /// The mapping has set these before.
  package var settled = ColumnMask()
  /// The place of the object in the response says these links. The update may set them to an object.
  package var placed = ColumnMask()

  package init() {}
}

/// The columns of one object that an update from a response treats by a rule of their own.
struct ColumnRules {
  /// The state of the object, which lives as long as its update runs.
  let object: ObjectIdentifier
  /// The update leaves these alone: a newer answer wrote them, or the mapping has set them before.
  let held: ColumnMask
  var rules: UpdateRules
}
