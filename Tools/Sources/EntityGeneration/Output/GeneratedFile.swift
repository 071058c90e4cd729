/// A file that a run writes.
struct GeneratedFile: Sendable, Equatable {
  enum Owner: Sendable {
    /// Written once; then a person's.
    case person
    /// Written anew each time.
    case generator
  }

  /// Below the folder of the project, with `/`.
  let path: String
  let text: String
  let owner: Owner
}
