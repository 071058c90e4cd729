/// The value of a property in a pending change.
public enum PendingValue: Sendable, Hashable {
  /// The value of an attribute, as its column has it.
  case attribute(StoredValue)
  /// The target of a to-one relationship.
  case object(AnyEntityID?)
  /// The objects of a list: in the list's order where the relationship is ordered, else in a fixed order.
  case list([AnyEntityID])
}
