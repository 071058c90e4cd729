/// The numbers of a run.
public struct Statistics: Sendable, Equatable {
  public internal(set) var entities = 0
  public internal(set) var structs = 0
  public internal(set) var enums = 0
  public internal(set) var properties = 0
  /// Properties with a `// choose:`.
  public internal(set) var open = 0
  public internal(set) var calls = 0
  /// The examples of successes that the document has, and those among them that tests read.
  public internal(set) var examples = 0
  public internal(set) var examplesRead = 0
  /// Those that were made from schemas where the document has none.
  public internal(set) var examplesMade = 0
}
