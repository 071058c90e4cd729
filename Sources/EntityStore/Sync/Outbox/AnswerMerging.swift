import Synchronization

/// Decides about responses that meet local edits, for the entities that have rules for it. Without a rule the edit stays,
/// and the server's value becomes its base.
package final class AnswerMerging: Sendable {
  /// The end of a conflict between a local edit and a value of a response.
  package enum End: Sendable {
    /// The edit stays, and is sent.
    case mine
    /// The row gets the server's value, and the edit ends.
    case theirs
    /// The row gets another value, which is sent.
    case value(StoredValue)
    /// The edit stays, and a person decides before it is sent.
    case held
  }

  /// - Parameter index: The property of the conflict.
  package typealias Rule = @Sendable (_ conflict: Conflict, _ model: EntityModel, _ index: Int) throws -> End

  /// Where the versions of an entity's objects come from.
  package enum Versions: Sendable {
    /// From responses about one object each.
    case responses
    /// From an attribute of the object, when the object is deleted here.
    case attribute(Int)
  }

  private let rules = Mutex<[Int: Rule]>([:])
  private let versions = Mutex<[Int: Versions]>([:])

  package init() {}

  /// Sets the rule of an entity.
  package func set(_ rule: @escaping Rule, of entity: Int) { rules.withLock { $0[entity] = rule } }

  /// The store keeps the versions of an entity's objects from now on.
  package func keepVersions(of entity: Int, _ place: Versions) { versions.withLock { $0[entity] = place } }

  func versions(of entity: Int) -> Versions? { versions.withLock { $0[entity] } }

  func rule(of entity: Int) -> Rule? { rules.withLock { $0[entity] } }
}
