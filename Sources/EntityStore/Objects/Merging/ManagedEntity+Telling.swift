extension ManagedEntity {
  /// Runs a change that tells nobody, and then tells the observers of each property whose value changed.
  package func tellingObservers(_ change: () -> Void) {
    let state = _$state
    guard let context = state.context, state.observers != nil else { return change() }
    let stored = state.model.stored.subtracting(state.model.lazy)
    let before = loadedValues(stored)
    let known = state.model.lazy.indices.filter { state.lazyValue($0) != nil }
    change()
    let after = loadedValues(stored)
    for index in stored.indices where !after[index].isIdentical(to: before[index]) {
      context.observers.notifyLater(self, index)
    }
    // Whether a lazy value changed is unknown until it is read again, so its observers are told.
    for index in known where state.lazyValue(index) == nil { context.observers.notifyLater(self, index) }
    context.observers.deliver()
  }
}
