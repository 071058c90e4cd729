public import EntityStore

/// The most objects that a response may delete because it lacks them.
///
/// ```swift
/// try await User.get(options: .deleteMissing(in: User.all, atMost: 20))
/// try await User.get(options: .deleteMissing(in: User.all, atMost: .share(0.1)))
/// ```
///
/// The limit counts the missing objects that would be deleted. It does not count objects that stay because of an edit,
/// a newer answer or ``RemoteEntity/staysWhenMissing(_:)``, and not the objects that a rule deletes with a missing one.
public struct DeletionLimit: Sendable, Hashable {
  private enum Form: Hashable {
    case count(Int)
    case share(Double)
  }

  private let form: Form

  /// A number of objects. Below 0 it counts as 0.
  ///
  /// - Parameter count: The most objects.
  public static func count(_ count: Int) -> Self { Self(form: .count(max(0, count))) }

  /// A share of the objects with a uid that the scope finds in the store, including the objects of the response.
  ///
  /// - Parameter share: From 0, for none, to 1, for all. A value outside this range counts as the nearer end of it, and
  ///   NaN as 0.
  public static func share(_ share: Double) -> Self { Self(form: .share(min(1, max(0, share.isNaN ? 0 : share)))) }

  /// True when `count` objects may be deleted.
  ///
  /// - Parameter scopeCount: The number of objects in the scope. Only a share asks for it.
  func allows(_ count: Int, of scopeCount: @autoclosure () throws -> Int) rethrows -> Bool {
    switch form {
    case .count(let most): return count <= most
    case .share(let most):
      guard count > 0 else { return true }
      // The quotient is rounded to the nearest double, as the literal `0.29` is. So 29 of 100 are within that share.
      return Double(count) / Double(try scopeCount()) <= most
    }
  }
}

extension DeletionLimit: ExpressibleByIntegerLiteral {
  /// A number of objects.
  public init(integerLiteral count: Int) { self = .count(count) }
}

extension DeletionLimit: CustomStringConvertible {
  public var description: String {
    switch form {
    case .count(let count): "\(count)"
    case .share(let share): "\(share * 100) %"
    }
  }
}

/// A response lacks more objects than it may delete: the list is empty by mistake, or the request has a filter that the
/// scope lacks.
///
/// It is the `underlying` error of a ``RequestError`` of kind `upsert`. Nothing of the response was written.
public struct TooManyMissing: Error, Sendable {
  /// The objects that would have been deleted, at most 1,000 of them.
  public let ids: [AnyEntityID]
  /// The number of all objects that would have been deleted.
  public let count: Int
  /// The number of objects of the store that are in the scope and have a uid, including the objects of the response.
  public let scopeCount: Int
  public let limit: DeletionLimit
}

extension TooManyMissing: CustomStringConvertible {
  public var description: String {
    let name = ids.first?.entityName ?? ""
    return "The response lacks \(count) of \(scopeCount) objects of '\(name)', and may delete at most \(limit)."
  }
}

extension TooManyMissing: LoggableError {}
