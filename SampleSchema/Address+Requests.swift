public import EntityClient

/// Addresses mostly come within their users; they have few requests of their own.
extension Address: RemoteEntity {
  public static var basePath: String { "addresses" }
}

extension Address {
  /// Sends the whole address.
  public nonisolated(nonsending) func save() async throws {
    try await put(\.street, \.city, \.state, \.zip)
  }
}
