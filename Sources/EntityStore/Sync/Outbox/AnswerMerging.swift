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

  /// A value of a response that meets a local edit which was based on another value.
  package struct Meeting {
    package let conflict: Conflict
    package let model: EntityModel
    /// The property of the conflict.
    package let index: Int
    /// When the property was last edited here, by the clock of the server, in seconds since 1970; `nil` where that is not
    /// known.
    package let edited: Double?
    /// Returns the server's last value of an attribute of the object; `nil` where that is not known.
    let serverValue: (_ attribute: Int) throws -> StoredValue?
  }

  /// The rules of an entity.
  package struct Rule: Sendable {
    /// The end of a conflict about a property.
    let end: @Sendable (Meeting) throws -> End
    /// Whether the edits of an object that the server has deleted go with it, for the edited properties.
    let yieldsToDeletion: @Sendable (EntityModel, ColumnMask) -> Bool
  }

  /// Where the versions of an entity's objects come from.
  package enum Versions: Sendable {
    /// From responses about one object each.
    case responses(takesWeak: Bool)
    /// From an attribute of the object, when the object is deleted here.
    case attribute(Int, isWeak: Bool)

    /// Whether a weak tag counts. The tag of an attribute counts: the app says that the attribute is the version.
    var takesWeak: Bool {
      switch self {
      case .responses(let takesWeak): takesWeak
      case .attribute: true
      }
    }
  }

  private let rules = Mutex<[Int: Rule]>([:])
  private let versions = Mutex<[Int: Versions]>([:])
  private let addresses = Mutex<[Int: [Int]]>([:])
  /// The clock of the server, by which the times of edits are told.
  package let clock: ServerClock

  package init(_ clock: ServerClock) { self.clock = clock }

  /// Sets the rule of an entity.
  package func set(_ rule: Rule, of entity: Int) { rules.withLock { $0[entity] = rule } }

  /// The store keeps the versions of an entity's objects from now on.
  package func keepVersions(of entity: Int, _ place: Versions) { versions.withLock { $0[entity] = place } }

  /// The store keeps, for an object that is deleted here, the server's values of attributes that its URL has beside the uid.
  package func keepAddress(of entity: Int, _ attributes: [Int]) {
    addresses.withLock { $0[entity] = attributes.isEmpty ? nil : attributes }
  }

  func address(of entity: Int) -> [Int] { addresses.withLock { $0[entity] ?? [] } }

  func versions(of entity: Int) -> Versions? { versions.withLock { $0[entity] } }

  func rule(of entity: Int) -> Rule? { rules.withLock { $0[entity] } }
}
