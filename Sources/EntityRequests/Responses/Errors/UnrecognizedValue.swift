/// A raw value in a response that is not of its property's type: mostly a case that the enum does not have yet. Also
/// the name of an object that the store does not have (``RemoteEntity/nameAttribute``), and the type of an object of an entity that was not asked for; see ``Discriminator``.
public struct UnrecognizedValue: Sendable, Hashable {
  /// Empty for the type of an object in a ``ResponsePart`` of mixed entities.
  public let entity: String
  /// The property; for the type of an object the key path of the type.
  public let property: String
  /// The raw value as text, at most 200 characters of it.
  public let value: String
  /// How often the response had it.
  public internal(set) var count: Int
}
