import SwiftSyntax

extension PersistedProperty {
  /// Whether the value is read only when the property is.
  var isLazy: Bool { variable.attribute("Lazy") != nil && problem == nil }

  /// A marker that can't stand with `@Lazy`, because it would read or copy the value with each row.
  var lazyProblem: Problem? {
    guard let lazy = variable.attribute("Lazy") else { return nil }
    let reason: String
    if variable.attribute("Relationship") != nil {
      reason =
        "'@Lazy' is for attributes, and '\(plainName)' is a relationship, whose objects are read when they are used"
    } else if variable.attribute("UID") != nil {
      reason = "'\(plainName)' can't be '@Lazy': the uid is read with each object"
    } else if variable.attribute("Unique") != nil {
      reason = "'\(plainName)' can't be '@Lazy': the index of a unique attribute has a copy of each value"
    } else if variable.attribute("Indexed") != nil {
      reason = "'\(plainName)' can't be '@Lazy': an index has a copy of each value"
    } else {
      return nil
    }
    return Problem(lazy, reason, .remove(lazy, from: variable))
  }
}
