import EntityClient

extension TrackerItem {
  /// Gets the item anew, and with it its version. Edits that were not sent stay.
  nonisolated(nonsending) func refresh() async throws {
    try await get(query: ["@verbose": Self.verbose])
  }

  /// Creates the item in the tracker, which gives it its id. Empty properties are left out: the tracker has no null,
  /// and parts of it refuse an empty list.
  nonisolated(nonsending) func create(with keyPaths: PartialKeyPath<Self>...) async throws {
    let fields = try jsonObject(for: keyPaths).filter { !$0.value.isNull && $0.value != [] }
    try await post { try $0.setJSON(Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value) })) }
  }

  /// Sends the given properties. If somebody else has changed the item meanwhile, their change stays, and this throws
  /// with the status 412.
  nonisolated(nonsending) func save(_ keyPaths: PartialKeyPath<Self>...) async throws {
    if etag == nil { try await refresh() }
    try await patch {
      try $0.setHeaders(["If-Match": etag ?? ""])
      // The tracker passes over null; an empty text is how it clears.
      try $0.setJSON(jsonObject(for: keyPaths).reduce(into: [:]) { $0[$1.key] = $1.value.isNull ? "" : $1.value })
    }
  }

  /// Adds to a list in the tracker, and leaves its other members.
  nonisolated(nonsending) func add(_ ids: [String], to key: String) async throws {
    if etag == nil { try await refresh() }
    try await patch {
      try $0.setHeaders(["If-Match": etag ?? ""])
      try $0.setJSON(["@op": "add", key: JSONValue(ids.map { JSONValue($0) })])
    }
  }

  /// Takes the item out of the tracker's lists, and deletes it here.
  nonisolated(nonsending) func retire() async throws {
    if etag == nil { try await refresh() }
    try await delete { try $0.setHeaders(["If-Match": etag ?? ""]) }
  }
}
