import EntityStore

/// The target of the mapping: rows, with no object made, or the objects of a context.
///
/// ``Mapper`` has the rules; a target only finds, reads and writes. A row id names an object in both targets: it is
/// final from the moment the object is made.
protocol MappingTarget: AnyObject {
  /// The object that a uid or a row id names. A target may look the object up later.
  associatedtype Known
  /// An object that is being mapped.
  associatedtype Subject

  /// The writer of the rows; `nil` in a context whose changes are saved later.
  var rows: RowWriter? { get }
  var session: UpsertSession { get }

  /// The mapper that runs updates by hand.
  ///
  /// - Parameter own: The target's own mapper.
  func objects(_ own: Mapper<Self>) -> Mapper<ObjectTarget>

  /// The mapper for objects with the declared mapping that an update by hand nests. `nil` when the target writes rows
  /// itself, and in a context whose changes are saved later.
  var rowMapper: Mapper<RowTarget>? { get }

  // MARK: Finding

  /// The object of a row, or else of a uid; `nil` when the response names none. A row is looked up when it is written,
  /// because a nested object may make or change it until then.
  func known(_ model: EntityModel, uid: StoredValue?, row: Int64?) throws -> Known?
  func row(_ model: EntityModel, of known: Known) throws -> Int64?
  func uid(_ model: EntityModel, of known: Known) throws -> StoredValue?
  func uid(_ model: EntityModel, _ pk: Int64) throws -> StoredValue?
  /// The row of the one object with a value in an attribute.
  func row(_ model: EntityModel, named value: StoredValue, _ property: Int) throws -> Int64?
  /// The server's last value of an attribute; `nil` when it is not known, and for a placeholder.
  func serverValue(_ model: EntityModel, _ property: Int, of known: Known) throws -> StoredValue?
  /// Whether the object was made here and has no uid yet.
  func awaitsUID(_ model: EntityModel, _ known: Known) throws -> Bool
  /// The object that a mere uid names. An unknown uid makes a placeholder, or an object if its entity has nothing but a
  /// uid.
  ///
  /// - Parameter inserted: Called with the row id of a new object.
  func reference(_ model: EntityModel, uid: StoredValue, inserted: (Int64) -> Void) throws -> Int64

  // MARK: The object

  /// Deletes an object that the response says is deleted.
  ///
  /// A response deletes the row at its end, because a later object may delete the rows that require it. A context
  /// deletes the object at once, because nothing ends the upsert there.
  ///
  /// - Returns: `nil` when there is no such object.
  func delete(_ model: EntityModel, _ known: Known) throws -> (pk: Int64, isPlaceholder: Bool)?
  /// Begins the mapping of an object. An object is made here, so that nested objects can refer to it; a row is not.
  func begin(_ plan: MappingPlan, _ known: Known?, uid: StoredValue?, row: Int64?) throws -> Subject
  /// Sets attributes and links.
  ///
  /// - Parameters:
  ///   - gone: Required links whose targets were deleted, by a newer answer or by their own update.
  ///   - mayAwait: Whether a required object may still come.
  /// - Returns: `nil` for a new object whose required target is `gone`.
  func write(
    _ plan: MappingPlan, _ subject: inout Subject, _ row: RowValues, newer: ColumnMask, gone: ColumnMask, mayAwait: Bool
  ) throws -> Written?
  /// Ends a subject that failed, or that the mapping refused. A new object is dropped: only the mapper has it.
  func abandon(_ subject: Subject, isRefused: Bool) throws
  /// - Parameter isAwaiting: Whether the object's requirements are checked at the end of the response.
  func end(_ subject: Subject, isAwaiting: Bool)
  /// The required links that the object lacks.
  func missingLinks(_ plan: MappingPlan, _ pk: Int64) throws -> ColumnMask

  // MARK: Links and lists

  /// The object that is being mapped, to read its present values: a nested object may be the same object.
  func known(_ subject: Subject) -> Known
  /// A to-one link of the object, and whether it was edited here and is not acknowledged.
  func link(_ model: EntityModel, _ property: Int, of known: Known) throws -> HeldLink
  func link(_ model: EntityModel, _ property: Int, of pk: Int64) throws -> Int64
  /// Whether an object has edits that the server does not have, or was made here; or whether this is so for an object
  /// that would go with it.
  func hasUnsentWork(_ model: EntityModel, _ pk: Int64) throws -> Bool
  /// Sets one link; the values of newer answers and kept edits stay.
  ///
  /// - Returns: Whether the link changed.
  func setLink(_ model: EntityModel, _ pk: Int64, _ property: Int, to target: Int64, newer: ColumnMask) throws -> Bool
  /// The objects of a to-many relationship in a fixed order, and whether any of them was edited here.
  func members(
    _ model: EntityModel, _ property: Int, of pk: Int64
  ) throws -> (rows: [Int64], areEdited: Bool)
  /// The objects without uid among objects of an entity that has uids, and whether any of them was edited here. An
  /// object that was made here and not sent yet is left out: no response can have it.
  func unnamed(_ model: EntityModel, _ rows: [Int64]) throws -> (rows: [Int64], areEdited: Bool)
  /// Makes a many-to-many relationship hold the rows `wanted`, in this order if the relationship is ordered.
  /// Memberships that were edited here stay, and so do memberships that newer answers say something about.
  ///
  /// The memberships of a context may be unsaved objects; in a response they are rows.
  func setMemberships(
    _ plan: MappingPlan, _ property: Int, _ membership: PropertyModel.Membership, of pk: Int64, _ wanted: [Int64],
    newer: ColumnMask
  ) throws -> Bool
  /// Gives the members of an ordered relationship the order that the response has, unless the order was edited here.
  ///
  /// - Parameter before: The members before the response, in their order.
  /// - Returns: Whether the order changed.
  func setOrder(_ model: EntityModel, _ property: Int, of pk: Int64, _ wanted: [Int64], before: [Int64]) throws -> Bool
  /// Whether a relationship was edited here and is not acknowledged.
  func isEdited(_ model: EntityModel, _ pk: Int64, _ property: Int) throws -> Bool
  /// Ends the edits of lists that the response overwrote.
  func endEdits(_ model: EntityModel, _ pk: Int64, _ lists: ColumnMask) throws
  /// Deletes objects without uid that their parent let go of.
  ///
  /// - Returns: How many objects were deleted.
  func delete(_ model: EntityModel, _ pks: [Int64]) throws -> Int
  /// Deletes an object without uid that its parent let go of, unless another object holds it.
  func release(_ model: EntityModel, _ pk: Int64) throws
}

/// A to-one property that is set with an object: the link back to the object in whose relationship it is nested.
struct ParentLink {
  let property: Int
  let pk: Int64
}

extension ParentLink? {
  /// The column of the link; empty without a link.
  var column: ColumnMask { map { ColumnMask($0.property) } ?? ColumnMask() }
}

/// A to-one link that an object holds.
struct HeldLink {
  /// The object's row id; 0 when there is none yet.
  var owner: Int64 = 0
  var row: Int64 = 0
  var isEdited = false
}

/// An object after its attributes and links were set.
struct Written {
  let pk: Int64
  let isInserted: Bool
  let isChanged: Bool
  /// The links that were set as the response says. A link that was edited here is not among them.
  let taken: ColumnMask
  /// Whether the object lacks an object that it requires.
  var isAwaiting = false
}

/// The result of taking in one object of a response.
struct MappingOutcome {
  let pk: Int64
  let isInserted: Bool
  let isChanged: Bool
  /// Whether the object was updated by hand and is not written yet. Its write shows whether the row changes.
  var isPending = false
}

extension MappingPlan {
  enum Completeness { case whole, awaiting, refused }

  /// The required links that an object lacks.
  ///
  /// - Parameters:
  ///   - given: Links that the object is about to get.
  ///   - link: The target of a link that the object holds; 0 for none.
  func missingLinks(besides given: ColumnMask = ColumnMask(), _ link: (Int) -> Int64) -> ColumnMask {
    var missing = model.required.subtracting(given)
    for index in missing.indices where link(index) != 0 { missing.subtract(ColumnMask(index)) }
    return missing
  }

  /// Whether a new object has all objects that it requires.
  ///
  /// - Parameters:
  ///   - missing: The required links that the object lacks.
  ///   - gone: The required links whose targets were deleted, by a newer answer or by their own update.
  /// - Throws: ``MappingError`` when the object lacks a required object that can't come later.
  func completeness(_ missing: ColumnMask, gone: ColumnMask, mayAwait: Bool) throws -> Completeness {
    guard let first = missing.subtracting(gone).indices.first(where: { _ in true }) else {
      return missing.isEmpty ? .whole : .refused
    }
    guard mayAwait else { throw missingError(first) }
    return .awaiting
  }
}
