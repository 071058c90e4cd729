public import Foundation

/// A saved change of one object that was made here and that the server has not acknowledged: an insert, edits by property,
/// or a deletion. ``EntityStore/pending`` has them.
///
/// ```swift
/// for change in try await store.pending.changes() { print(change) }
/// // User 7: email was edited from "old" to "mine"
/// ```
public struct PendingChange: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The object was made here, and no answer has shown that the server has it. Its ``edits`` are the properties that were set.
    case insert
    /// Properties of an object of the server were edited.
    case edit
    /// The object was deleted here.
    case deletion
  }

  public let kind: Kind
  /// The object. For a deletion, the id that the object had; the store no longer has the object.
  public let id: AnyEntityID
  /// The object's uid as text; `nil` where it has none.
  public let uid: String?
  /// When the object was inserted, last edited, or deleted; `nil` where that is not known, as of edits that an earlier
  /// version of the package saved.
  public let time: Date?
  /// The edited properties, in the order of declaration; empty for a deletion.
  public let edits: [PendingChange.Edit]
  /// The object that an embedded object is sent with: its parent, or the outermost object where the parent is embedded
  /// too. `nil` for an object that is sent by itself.
  ///
  /// ```swift
  /// for change in try await store.pending.changes() {
  ///   guard let id = change.sender(as: Order.self) else { continue }      // an order, or a line of one
  ///   try await store.main.object(id)?.patchPending()
  /// }
  /// ```
  public let parent: AnyEntityID?
  let key: RowKey

  /// The name of the entity, as ``ManagedEntity/entityName``.
  public var entity: String { id.entityName }
}

extension PendingChange {
  /// An edit of one property of an object.
  public struct Edit: Sendable, Hashable {
    /// The name of the property.
    public let property: String
    /// The server's last value, also from an answer that the edit holds off. `nil` where it is not known: for an insert,
    /// for an edit that an earlier version of the package saved, and for a list of objects without uid.
    public let base: PendingValue?
    /// The value that the property has here.
    public let value: PendingValue
    /// When the property was last edited; `nil` for an insert, and where it is not known.
    public let time: Date?
    /// The rows of the pairs of a many-to-many list, including the rows of pairs that were taken out. A pair that was
    /// edited since has another row.
    let marks: Set<Int64>
    let form: ShownProperty

    /// The objects that were added to a list here; empty where ``base`` is not known.
    public var added: [AnyEntityID] { difference(value, base) }
    /// The objects that were taken out of a list here. An object that was added here before does not count: the server
    /// does not have it in the list.
    public var removed: [AnyEntityID] { difference(base, value) }

    private func difference(_ one: PendingValue?, _ other: PendingValue?) -> [AnyEntityID] {
      guard case .list(let one) = one, case .list(let other) = other else { return [] }
      return one.filter { !Set(other).contains($0) }
    }
  }
}

extension PendingChange: CustomStringConvertible {
  /// The object by its uid, or else by its row, and its edited properties with their values: texts up to 40 characters.
  /// The value of a property whose name says that it is a secret is left out, as of `apiToken`.
  public var description: String {
    let object = uid.map { "\(entity) \($0)" } ?? "\(entity) (row \(id.pk))"
    return switch kind {
    case .insert where edits.isEmpty: "\(object): it was made here"
    case .insert: "\(object): it was made here, with \(edits.map(\.assigned).joined(separator: ", "))"
    case .edit: "\(object): \(edits.map(\.description).joined(separator: ", "))"
    case .deletion: "\(object): it was deleted here"
    }
  }
}

extension PendingChange.Edit: CustomStringConvertible, CustomReflectable {
  /// The property and its values: `email was edited from "old" to "mine"`.
  public var description: String {
    "\(property) was edited\(base.map { " from \(form.text($0))" } ?? "") to \(form.text(value))"
  }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  fileprivate var assigned: String { "\(property) \(form.text(value))" }
}
