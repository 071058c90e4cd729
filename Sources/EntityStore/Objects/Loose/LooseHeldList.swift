// The members of a loose list are keys, of which each read makes an array of objects. An object that nobody else holds is made
// anew for that. So the list that was read or set last in a graph is held as an array, and a loop over it or an `append` makes
// no object.
//
// The object with the list holds the array. No other object of the graph holds one, so that the members lead back to nobody:
// a circle of lists is no leak.

extension LooseGraph {
  /// The array of a list, if it is the one that is held.
  func held<T: ManagedEntity>(of state: ObjectState, _ index: Int, _ type: T.Type) -> [T]? {
    guard listOwner === state, listIndex == index else { return nil }
    return (state.kept[index]?.decoded as? KeptValue.Decoded<[T]>)?.value
  }

  /// Has an object hold the array of its list, in place of the one that was held.
  func hold<T: ManagedEntity>(_ members: [T], of state: ObjectState, _ index: Int) {
    dropHeldList()
    // An object of a context may be deleted there, and an object in its own list would hold itself.
    guard attached.isEmpty, !members.isEmpty, records[Key(state)]?.contains(index, Key(state)) == false else { return }
    (listOwner, listIndex) = (state, index)
    state.kept[index] = KeptValue(stored: .null, decoded: KeptValue.Decoded(members))
  }

  func dropHeldList() {
    let gone = listOwner?.kept.removeValue(forKey: listIndex)
    listOwner = nil
    // The end of an object may run code of the user's, which may use the graph.
    withExtendedLifetime(gone) {}
  }

  /// A list has other members, or others by the same keys.
  func listChanged(_ key: Key, _ index: Int) {
    if let owner = listOwner, listIndex == index, Key(owner) == key { dropHeldList() }
  }
}
