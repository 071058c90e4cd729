// The names of these on Swift's collections. They can't be called so here: their closures make a condition, they do not
// decide.

extension QueryList {
  @available(*, unavailable, renamed: "any(_:)")
  public func contains<C: QueryCondition>(where condition: (QueryRow<T>) -> C) -> EntityPredicate { any(condition) }

  @available(*, unavailable, renamed: "all(_:)")
  public func allSatisfy<C: QueryCondition>(_ condition: (QueryRow<T>) -> C) -> EntityPredicate { all(condition) }
}
