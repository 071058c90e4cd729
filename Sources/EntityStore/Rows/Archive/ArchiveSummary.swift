/// The content of an archive that was written or restored.
public struct ArchiveSummary: Sendable, Hashable {
  /// The number of objects of each entity, by the entity's name. Placeholders do not count.
  public internal(set) var objects: [String: Int] = [:]
  /// How many objects have changes that the server has not acknowledged.
  public internal(set) var pending = 0

  /// How many objects there are.
  public var objectCount: Int { objects.values.reduce(0, +) }
}
