/// The running update of an object from a response.
@usableFromInline final class ArrivalState {
  /// Set while values from a response are written to objects.
  var update: ObjectUpdate? {
    get { storedUpdate }
    set {
      storedUpdate = newValue
      noteAttention()
    }
  }
  // Read, assigned or exchanged while nothing else runs, so no access needs a check.
  @exclusivity(unchecked) private var storedUpdate: ObjectUpdate?
  /// A raw value that the next setter takes in place of its argument.
  var arriving: ArrivingValue? {
    get { storedArriving }
    set {
      storedArriving = newValue
      noteAttention()
    }
  }
  private var storedArriving: ArrivingValue?
  /// Bits that a setter of an equal value must still look at: 1 for an update from a response, 2 for an arriving value,
  /// 4 for an absent key.
  @usableFromInline let attention = AttentionBits()
  /// Whether values from a response are written to objects.
  var isUpdating: Bool { attention.bits & 1 != 0 }

  /// The running update has set a property.
  func touch(_ object: any ManagedEntity, _ index: Int) { storedUpdate?.order?.touch(object, index) }

  /// Whether the running update by hand read an absent key last. Then the next setter call passes the value that the
  /// property already has.
  var readsAbsent: Bool {
    get { attention.bits & 4 != 0 }
    set { attention.set(newValue ? attention.bits | 4 : attention.bits & ~4) }
  }
  /// Saved edits that the response overwrites. They end when the response's values are in the rows.
  var overwritten: [RowKey: Overwritten] = [:]

  /// The columns with special rules, for each running update. The innermost update is the last.
  @exclusivity(unchecked) private var underWay: [ColumnRules] = []

  /// An update begins.
  ///
  /// - Returns: The enclosing update, for ``end(backTo:)``.
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

  /// The columns of an object that its update must not set. Empty if no update of the object runs.
  func held(of state: ObjectState) -> ColumnMask { columns(of: state)?.held ?? ColumnMask() }

  /// The columns of an object that the mapping set before the update by hand.
  func settled(of state: ObjectState) -> ColumnMask { columns(of: state)?.rules.settled ?? ColumnMask() }

  /// Whether the place of an object in the response decides a link, and the update by hand has not set that link.
  func isPlaced(_ link: Int, of state: ObjectState) -> Bool { columns(of: state)?.rules.placed.contains(link) ?? false }

  /// Records that the update by hand has set a link that the object's place in the response decided.
  func setPlaced(_ link: Int, of state: ObjectState) {
    guard let index = underWay.lastIndex(where: { $0.object == ObjectIdentifier(state) }) else { return }
    underWay[index].rules.placed.subtract(ColumnMask(link))
  }

  private func columns(of state: ObjectState) -> ColumnRules? { underWay.last { $0.object == ObjectIdentifier(state) } }

  /// Whether the running update is of the object with this state, and keeps local edits.
  func isPlainUpdate(of state: ObjectState) -> Bool {
    storedUpdate.map { $0.state === state && $0.policy.keepsEdits } ?? false
  }

  /// Like ``isPlainUpdate(of:)``, but only if the order of responses does not matter.
  func isOnlyUpdate(of state: ObjectState) -> Bool {
    storedUpdate.map { $0.state === state && $0.order == nil && $0.policy.keepsEdits } ?? false
  }

  private func noteAttention() {
    attention.set(attention.bits & 4 | (update == nil ? 0 : 1) | (arriving == nil ? 0 : 2))
  }
}

/// The columns of an object that an update by hand must not set or clear.
package struct UpdateRules {
  /// The columns that the mapping set before the update.
  package var settled = ColumnMask()
  /// The links that the object's place in the response decides. The update may set them to an object, and not to `nil`.
  package var placed = ColumnMask()

  package init() {}
}

/// The columns of one object that an update from a response treats by special rules.
struct ColumnRules {
  /// The state of the object. It lives as long as the update runs.
  let object: ObjectIdentifier
  /// The columns that the update leaves alone: a newer response wrote them, or the mapping set them before.
  let held: ColumnMask
  var rules: UpdateRules
}
