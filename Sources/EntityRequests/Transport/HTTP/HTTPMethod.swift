/// A request method: one of the usual ones, or any other token (RFC 9110 §9.1). Case matters.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  public let rawValue: String

  /// `nil` when `rawValue` is not a token (RFC 9110 §5.6.2).
  public init?(rawValue: String) {
    guard HeaderField.isToken(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(_ rawValue: String) { self.rawValue = rawValue }

  public static let get = HTTPMethod("GET")
  public static let head = HTTPMethod("HEAD")
  public static let post = HTTPMethod("POST")
  public static let put = HTTPMethod("PUT")
  /// RFC 5789.
  public static let patch = HTTPMethod("PATCH")
  public static let delete = HTTPMethod("DELETE")

  public var description: String { rawValue }

  /// Whether a request with this method changes nothing on the server (RFC 9110 §9.2.1).
  var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }

  /// Whether a request with this method carries edits of an object.
  var sendsEdits: Bool { self == .post || self == .put || self == .patch }
}
