public import EntityStore

/// The most objects that a response may delete because it lacks them.
///
/// ```swift
/// try await User.get(options: .deleteMissing(in: User.all, atMost: 20))
/// try await User.get(options: .deleteMissing(in: User.all, atMost: .share(0.1)))
/// ```
///
/// Only missing objects count that would be deleted: neither those that stay for an edit, a newer answer or
/// ``RemoteEntity/staysWhenMissing(_:)``, nor those that a rule deletes with them.
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

  /// A share of the objects in the scope with a uid: those of the store, once the objects of the response are among them.
  ///
  /// - Parameter share: From 0, for none, to 1, for all. A value outside counts as the nearer of these, and NaN as 0.
  public static func share(_ share: Double) -> Self { Self(form: .share(min(1, max(0, share.isNaN ? 0 : share)))) }

  /// Whether so many objects may be deleted.
  ///
  /// - Parameter scopeCount: How many objects the scope has; asked of a share only.
  func allows(_ count: Int, of scopeCount: @autoclosure () throws -> Int) rethrows -> Bool {
    switch form {
    case .count(let most): return count <= most
    case .share(let most):
      guard count > 0 else { return true }
      // A quotient is the double that is nearest to it, as the literal `0.29` is: 29 of 100 are within that share.
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

/// A response lacks more objects than it may delete: an empty list by mistake, a filter that the scope does not have.
///
/// It is the `underlying` error of a ``RequestError`` of kind `upsert`. Nothing of the response was written.
public struct TooManyMissing: Error, Sendable {
  /// The objects that would have been deleted, at most 1,000 of them.
  public let ids: [AnyEntityID]
  /// How many there are.
  public let count: Int
  /// How many objects of the store are in the scope and have a uid, those of the response included.
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
