/// Whether the URLs of objects end with a slash, as some servers require: `users/42/` and not `users/42`.
///
/// The rule applies to the URLs that the library makes from the uid of an object. All other URLs are sent as they are
/// written: the collection as ``RemoteEntity/basePath`` has it, a resource as the caller gives it, a next page as the
/// server says.
///
/// ```swift
/// static var basePath: String { "users/" }    // users/ and users/42/, as Django's REST framework has them
/// static var basePath: String { "users" }     // users and users/42
/// ```
public enum TrailingSlash: Sendable, Hashable {
  /// The URL of an object ends with a slash if the base path does.
  case asWritten
  /// The URL of an object ends with a slash, even if the base path does not.
  case always
  /// The URL of an object ends with the uid, even if the base path ends with a slash: `users/` and `users/42`.
  case never
}
