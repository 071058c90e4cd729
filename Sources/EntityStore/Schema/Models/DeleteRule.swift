/// The rule for the objects on the other side of a relationship when an object is deleted.
public enum DeleteRule: Sendable, Hashable {
  /// Their link becomes `nil`.
  case nullify
  /// They are deleted too.
  case cascade
  /// The deletion throws as long as there are any.
  case deny
}
