/// The places that a resource may lead to only with the caller's permission. A resource may be a text from elsewhere:
/// an empty uid, or a URL that a server sent.
///
/// ```swift
/// try await User.delete(allowing: .collection)                                  // DELETE users: all of them
/// try await User.get(link, options: .allowing(.otherOrigins))                   // wherever the server's link leads
/// ```
///
/// Without the permission such a resource is an error of kind ``RequestError/Kind/unsafeResource``, and nothing is
/// sent. A URL that the closure of a request sets is the caller's own, and may lead anywhere.
public struct ResourceAllowance: OptionSet, Sendable, Hashable {
  /// The bits of the allowances.
  public let rawValue: Int

  /// Allowances by their bits.
  ///
  /// - Parameter rawValue: The bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// DELETE may lead to the collection itself, which mostly deletes all of its objects. PUT and PATCH may lead there
  /// with an empty resource, such as `""`, `"."`, `"5/.."` and `"#5"`. PUT and PATCH without a resource need no
  /// permission.
  public static let collection = ResourceAllowance(rawValue: 1)

  /// Dot segments may lead out of the base path, as `"../posts"` does. DELETE, PUT and PATCH may lead to a folder that
  /// contains the collection.
  public static let aboveBasePath = ResourceAllowance(rawValue: 2)

  /// The resource may lead to an origin (RFC 6454 §5) that is neither the entity's nor the client's. The headers of the
  /// entity and of the client don't go there.
  public static let otherOrigins = ResourceAllowance(rawValue: 4)
}
