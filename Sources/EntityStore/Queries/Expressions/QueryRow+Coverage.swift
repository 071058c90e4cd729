extension QueryRow {
  /// Whether a property is loaded: a response had it, or it was set here. See ``ManagedEntity/loaded``.
  ///
  /// `User.where { !$0.isLoaded(\.bio) }`
  /// // instr(',' || coalesce(t0."_missing", '') || ',', ?) = 0
  ///
  /// Of an entity that does not track its coverage, all properties of an object are loaded:
  /// // t0._placeholder = 0
  public func isLoaded<V>(_ keyPath: KeyPath<E.Columns, Column<E, V>>) -> EntityPredicate {
    isLoaded(E.columns[keyPath: keyPath].name)
  }

  /// Whether the side of a one-to-one relationship without a column is loaded.
  ///
  /// `User.where { $0.isLoaded(\.passport) }`
  /// // instr(',' || coalesce(t0."_missing", '') || ',', ?) = 0
  public func isLoaded<T: ManagedEntity>(_ keyPath: KeyPath<E.Columns, Counterpart<E, T>>) -> EntityPredicate {
    isLoaded(E.columns[keyPath: keyPath].name)
  }

  private func isLoaded(_ name: String) -> EntityPredicate {
    guard E.tracksCoverage else { return EntityPredicate("\(alias)._placeholder = 0") }
    let names: SQLFragment = "\(column(PropertyModel.coverageName))"
    return EntityPredicate(
      "instr(',' || coalesce(\(names), '') || ',', \(.text(",\(name),"))) = 0")
  }
}
