/// The content of an archive that was written or restored.
public struct ArchiveSummary: Sendable, Hashable {
  /// How many objects of each entity there are, by its name; placeholders are none.
  public internal(set) var objects: [String: Int] = [:]
  /// How many objects have changes that the server has not acknowledged.
  public internal(set) var pending = 0

  /// How many objects there are.
  public var objectCount: Int { objects.values.reduce(0, +) }
}
