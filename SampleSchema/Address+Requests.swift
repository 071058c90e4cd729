public import EntityClient

/// Addresses mostly come within their users; what is asked of them is small.
extension Address: RemoteEntity {
  public static var basePath: String { "addresses" }
}

extension Address {
  /// Sends the whole address.
  public nonisolated(nonsending) func save() async throws {
    try await put(\.street, \.city, \.state, \.zip)
  }
}
