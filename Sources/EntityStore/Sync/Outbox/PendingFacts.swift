/// The facts of one object with pending changes, by which the outbox decides when the changes are sent. It has no values
/// but the uid.
package struct PendingFacts: Sendable, Equatable {
  package enum Kind: Sendable { case insert, edit, deletion }

  /// A link or a list member that a request about the object would name.
  package struct Link: Sendable, Hashable {
    /// The index of the property.
    package var property: Int
    package var target: RowKey
    /// Whether the object can't be without the link.
    package var isRequired: Bool

    package init(property: Int, target: RowKey, isRequired: Bool) {
      (self.property, self.target, self.isRequired) = (property, target, isRequired)
    }
  }

  /// The object: for the edits of an embedded object, the object that it is sent with.
  package var key: RowKey
  package var kind: Kind
  /// The uid as text; `nil` where the object has none.
  package var uid: String?
  /// The generation of the last edit of the object, or of its deletion. Later commits have higher generations, so the
  /// order does not depend on a clock.
  package var number: Int64
  /// The edited properties; for an insert, all properties that were set. A relationship to embedded objects with edits
  /// of their own is among them.
  package var edited: ColumnMask
  /// For an insert the links of all properties, for an edit those of edited ones. Embedded objects count as the object.
  package var links: [Link] = []
  /// The targets that edited links had before, as the server knows them, and members that were taken out of lists here.
  package var formerTargets: [RowKey] = []
  /// The row id of the object whose deletion deleted this one, too; `nil` for an object that was deleted by itself.
  package var cause: Int64?

  package init(key: RowKey, kind: Kind, uid: String?, number: Int64, edited: ColumnMask) {
    (self.key, self.kind, self.uid, self.number, self.edited) = (key, kind, uid, number, edited)
  }
}
