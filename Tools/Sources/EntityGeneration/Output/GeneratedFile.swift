/// A file that a run writes.
public struct GeneratedFile: Sendable, Equatable {
  public enum Owner: Sendable {
    /// Written once; then a person's.
    case person
    /// Written anew each time.
    case generator
  }

  /// Below the folder of the project, with `/`.
  public let path: String
  public let text: String
  public let owner: Owner
}
