/// A key of a response that nothing reads; see ``ResponseOptions/reportingUnreadKeys``.
public struct UnreadKey: Sendable, Hashable, CustomStringConvertible {
  /// The entity of the objects that have the key; `nil` for a key beside the objects, as in an envelope.
  public let entity: String?
  /// The key, or the key path from the object: `"author.email"`. A dot in a key has a backslash before it.
  public let keyPath: String

  /// `Issue: subject`, or the key path alone.
  public var description: String { entity.map { "\($0): \(keyPath)" } ?? keyPath }
}

extension ResponseOptions {
  /// Reports the keys that nothing reads. The search goes through the whole body, so it is meant for a look at a new
  /// API, or for a test.
  ///
  /// ```swift
  /// let response = try await Issue.get(options: .reportingUnreadKeys)
  /// print(response.absentKeys, response.unreadKeys)
  /// // ["subjct"] [Issue: subject, meta]: the property was declared with @Key("subjct")
  /// ```
  public static var reportingUnreadKeys: Self { Self { $0.upsert.reportsUnreadKeys = true } }
}

extension EntityResponse {
  /// The keys of the response's objects that neither a property nor an `update(with:)` reads, each once. Empty without
  /// the option ``ResponseOptions/reportingUnreadKeys``.
  ///
  /// Keys beside the objects are among them, because the response does not know what the app reads of ``value``. Keys
  /// that an `update(with:)` reads of `context.root` are among them too.
  public var unreadKeys: [UnreadKey] { details.unreadKeys }
}
