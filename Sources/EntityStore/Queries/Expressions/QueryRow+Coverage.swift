extension QueryRow {
  /// Whether a property is loaded: a response had it, or it was set here. See ``ManagedEntity/loaded``.
  ///
  /// `$0.isLoaded(\.bio)`
  /// // instr(',' || coalesce(t0."_missing", '') || ',', ?) = 0
  ///
  /// Without `tracksCoverage` an object that is no placeholder is loaded whole:
  ///
  /// `$0.isLoaded(\.name)`
  /// // t0._placeholder = 0
  public func isLoaded<V>(_ keyPath: KeyPath<E.Columns, Column<E, V>>) -> EntityPredicate {
    isLoaded(E.columns[keyPath: keyPath].name)
  }

  /// Whether the side of a one-to-one relationship without a column is loaded.
  ///
  /// `$0.isLoaded(\.badge)`
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
