import EntityRequests

/// The rules for kinds of services.
extension OutboxRules {
  /// A service of JSON:API (JSON:API 1.1, "Creating, Updating and Deleting Resources"): the object stands under `data`,
  /// with its type and its id, and each related object has its type.
  ///
  /// ```swift
  /// @Entity final class Essay: OutboxEntity {
  ///   @UID @Key("id") var uid: String
  ///   @Key("attributes.title") var title: String
  ///   @Key("relationships.author.data.id") var author: Essayist?
  ///
  ///   static var basePath: String { "essays" }
  ///   static var envelope: Envelope? { "data" }
  ///   static var headers: HTTPHeaders { .jsonAPI }
  ///   static var outbox: OutboxRules<Essay> { .jsonAPI("essays") }
  /// }
  /// ```
  ///
  /// The type of a related object is that of its own rules; without such rules, the last segment of its base path.
  ///
  /// - Parameter type: The type of the entity's resources.
  public static func jsonAPI(_ type: String) -> Self {
    changing { $0.form = BodyForm(root: "data", resourceType: type) }
  }

  /// A Kinto server (docs.kinto-storage.org). PUT creates a record under a uid that was made here, unless the server has
  /// one; PATCH and DELETE hold for one version of the record; changes go in batches; records stand under `data`.
  ///
  /// ```swift
  /// @Entity final class Note: OutboxEntity {
  ///   @UID @Key("id") var uid: String
  ///   var text: String
  ///   @Key("last_modified") var lastModified: Int?
  ///
  ///   static var basePath: String { "collections/notes/records" }
  ///   static var envelope: Envelope? { "data" }
  ///   static var deletionKey: String? { "deleted" }
  ///   static var outbox: OutboxRules<Note> { .kinto }
  /// }
  /// ```
  ///
  /// The entity has an attribute with the key `last_modified`.
  public static var kinto: Self {
    [
      .creating(.put), .ifMatch(.key("last_modified")), .batch(KintoBatch()),
      changing { $0.form = BodyForm(root: "data") },
    ]
  }
}
