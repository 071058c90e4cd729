/// The local edits that a request carried to the server, to be acknowledged by its answer.
package struct SentEdits: Sendable {
  package let entity: Int
  package internal(set) var pk: Int64
  /// Whether the object had no row yet: then its edits make one. A row that is gone is not brought back.
  let isUnsaved: Bool
  /// The values as they were sent.
  package internal(set) var values: RowValues
  /// The properties whose sent values a migration has taken out of the entry.
  var forgotten = ColumnMask()
  /// The values that a new row requires, and that were not sent.
  var required: RowValues
  /// The members of edited many-to-many relationships as they were sent.
  package internal(set) var lists: [Int: Set<Int64>]
  /// The members of other many-to-many relationships: their pairs may have been edited through the lists on the other
  /// side.
  var otherLists: [Int: Set<Int64>]
  /// The row's values of properties with an unsaved edit on top of a saved one.
  let before: RowValues
  /// The row's members of lists with unsaved edits.
  let listsBefore: [Int: Set<Int64>]
  var embedded: [Embedded]
  /// The members of ordered relationships in the order in which they were sent.
  var orders: [Int: [Int64]]
  /// The lists in ``orders`` that had an unsaved edit of the order.
  let unsavedOrders: ColumnMask
  /// Whether the object was made here, and the server has it once it has responded.
  package let endsInsertion: Bool
  package let marker: Marker

  /// Embedded objects in a relationship that was sent. They were sent with their parent.
  package struct Embedded: Sendable {
    package init(property: Int, members: [SentEdits], removed: [SentEdits] = []) {
      self.property = property
      self.members = members
      self.removed = removed
    }

    let property: Int
    /// In the order in which they were sent.
    let members: [SentEdits]
    /// The objects that were taken out of the list, which the rows do not know yet.
    let removed: [SentEdits]
  }

  /// The edits that the server has, as its answer shows.
  package struct Acknowledged {
    package internal(set) var uid: StoredValue?
    /// The properties of the row that the server has as they were sent, and that no later request sent. They may have
    /// been edited here since.
    package internal(set) var mask = ColumnMask()
    /// The embedded objects in relationships of rows, in the order in which they were sent.
    package internal(set) var orders: [Relationship: [Int64]] = [:]
    /// Relationships like these that hold other objects than were sent.
    package internal(set) var unsettled: Set<Relationship> = []

    /// Adds the relationships of another object that the request sent.
    package mutating func add(_ other: Acknowledged) {
      orders.merge(other.orders) { _, new in new }
      unsettled.formUnion(other.unsettled)
    }
  }

  /// A relationship of a row.
  package struct Relationship: Hashable {
    package init(entity: Int, pk: Int64, property: Int) {
      self.entity = entity
      self.pk = pk
      self.property = property
    }

    let entity: Int
    let pk: Int64
    let property: Int
  }
}
