// The members of a loose list are keys, and each read makes an array of objects from them. That makes each object anew
// that nobody else holds. To avoid this, the list that was read or set last in a graph is held as an array. Then a loop
// over it or an `append` makes no object.
//
// The owner of the list holds the array. No other object of the graph holds one. So no reference leads from the members
// back to the owner, and a circle of lists is no leak.

extension LooseGraph {
  /// The held array of a list; `nil` if this list is not the held one.
  func held<T: ManagedEntity>(of state: ObjectState, _ index: Int, _ type: T.Type) -> [T]? {
    guard listOwner === state, listIndex == index else { return nil }
    return (state.kept[index]?.decoded as? KeptValue.Decoded<[T]>)?.value
  }

  /// Holds the array of an object's list in place of the earlier one.
  func hold<T: ManagedEntity>(_ members: [T], of state: ObjectState, _ index: Int) {
    dropHeldList()
    // Not for these: an object of a context may be deleted there, and an object in its own list would hold itself.
    guard attached.isEmpty, !members.isEmpty, records[Key(state)]?.contains(index, Key(state)) == false else { return }
    (listOwner, listIndex) = (state, index)
    state.kept[index] = KeptValue(stored: .null, decoded: KeptValue.Decoded(members))
  }

  func dropHeldList() {
    let gone = listOwner?.kept.removeValue(forKey: listIndex)
    listOwner = nil
    // The end of an object may run the user's code, which may use the graph.
    withExtendedLifetime(gone) {}
  }

  /// Drops the held array of a list whose members or keys changed.
  func listChanged(_ key: Key, _ index: Int) {
    if let owner = listOwner, listIndex == index, Key(owner) == key { dropHeldList() }
  }
}
