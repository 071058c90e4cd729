/// Whether the URLs of objects end with a slash, as those of some servers must: `users/42/` and not `users/42`.
///
/// It is about the URLs that the library makes of an object's uid. All others are sent as they are written: the collection
/// as ``RemoteEntity/basePath`` has it, a resource as the caller gives it, a next page as the server says.
///
/// ```swift
/// static var basePath: String { "users/" }    // users/ and users/42/, as Django's REST framework has them
/// static var basePath: String { "users" }     // users and users/42
/// ```
public enum TrailingSlash: Sendable, Hashable {
  /// The URL of an object ends as that of its collection does, which is as the base path is written.
  case asWritten
  /// The URL of an object ends with a slash, also where that of its collection does not.
  case always
  /// The URL of an object ends with the uid, also where that of its collection ends with a slash, as in `users/` and
  /// `users/42`.
  case never
}
