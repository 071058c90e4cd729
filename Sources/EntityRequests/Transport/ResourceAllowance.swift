/// The places that a resource may lead to only with the caller's word, for a resource may be a text from elsewhere: a uid
/// that is empty, or a URL that a server sent.
///
/// ```swift
/// try await User.delete(allowing: .collection)                                  // DELETE users: all of them
/// try await User.get(link, options: .allowing(.otherOrigins))                   // wherever the server's link leads
/// ```
///
/// Without it such a resource is an error of kind ``RequestError/Kind/unsafeResource``, and nothing is sent. A URL that the
/// closure of a request sets is the caller's own, and leads anywhere.
public struct ResourceAllowance: OptionSet, Sendable, Hashable {
  /// The bits of the allowances.
  public let rawValue: Int

  /// Allowances by their bits.
  ///
  /// - Parameter rawValue: The bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// DELETE may lead to the collection itself, which mostly deletes all of its objects. So may PUT and PATCH with a resource
  /// that says nothing, as `""`, `"."`, `"5/.."` and `"#5"`; without a resource they need no word.
  public static let collection = ResourceAllowance(rawValue: 1)

  /// Dot segments may lead out of the base path, as `"../posts"` does; DELETE, PUT and PATCH may lead to a folder that the
  /// collection is in.
  public static let aboveBasePath = ResourceAllowance(rawValue: 2)

  /// The resource may lead to another origin (RFC 6454 §5) than those of the entity and of the client. Their headers don't go
  /// there.
  public static let otherOrigins = ResourceAllowance(rawValue: 4)
}
