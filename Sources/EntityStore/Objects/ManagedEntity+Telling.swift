extension ManagedEntity {
  /// Runs a change that nobody is told of, and then tells the observers of each property that reads differently.
  package func tellingObservers(_ change: () -> Void) {
    let state = _$state
    guard let context = state.context, state.observers != nil else { return change() }
    let stored = state.model.stored
    let before = loadedValues(stored)
    change()
    let after = loadedValues(stored)
    for index in stored.indices where !after[index].isIdentical(to: before[index]) { context.notifyLater(self, index) }
    context.deliver()
  }
}
