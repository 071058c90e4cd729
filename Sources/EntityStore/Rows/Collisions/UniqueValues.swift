import Foundation

// SQLite checks a unique index row by row, and its checks can't be deferred (https://sqlite.org/lang_createindex.html).
// A unit that swaps two values, or hands one over, has two rows alike for a moment, in any order of its writes. So a
// row that is written takes the value from the row that holds it. The row that held it waits for the rest of the unit.

/// The values of unique columns that rows had to give up to other rows, until the unit settles them.
///
/// A read of such a row still gives the value. Its column holds NULL, or a value that no value of the property's type
/// is stored as. Another row holds the value that the row waits for. As soon as that row loses the value, the row that
/// had it last gets it back.
struct UniqueValues {
  private struct HeldValue: Hashable {
    let entity: Int
    let property: Int
    let value: StoredValue
  }

  /// The values, by the rows that gave them up.
  private(set) var rows: [RowKey: RowValues] = [:]
  /// The same rows by the value that they wait for. The row that had the value last is at the end.
  private var waiting: [HeldValue: [Int64]] = [:]
  /// How many of the rows each entity has.
  private var counts: [Int: Int] = [:]
  /// Counts the changes.
  private(set) var version = 0

  var isEmpty: Bool { rows.isEmpty }

  /// Whether rows of an entity gave up values.
  func isOf(_ entity: Int) -> Bool { counts[entity] != nil }

  subscript(key: RowKey) -> RowValues? { rows.isEmpty ? nil : rows[key] }

  mutating func add(_ key: RowKey, _ model: EntityModel, _ property: Int, _ value: StoredValue) {
    version += 1
    if rows[key] == nil { counts[key.entity, default: 0] += 1 }
    rows[key, default: RowValues(count: model.properties.count)][property] = value
    waiting[HeldValue(entity: key.entity, property: property, value: value), default: []].append(key.pk)
  }

  /// A row has other values in the columns `mask`, or has the values back that it gave up.
  mutating func remove(_ key: RowKey, _ mask: ColumnMask) {
    guard var values = rows[key] else { return }
    for property in values.mask.intersection(mask).indices {
      let value = HeldValue(entity: key.entity, property: property, value: values[property])
      waiting[value]?.removeAll { $0 == key.pk }
      if waiting[value]?.isEmpty == true { waiting[value] = nil }
    }
    version += 1
    values.remove(mask)
    rows[key] = values.mask.isEmpty ? nil : values
    guard values.mask.isEmpty, let count = counts[key.entity] else { return }
    counts[key.entity] = count > 1 ? count - 1 : nil
  }

  /// The rows that wait for a value, first the row that had it last.
  func waiting(for value: StoredValue, _ model: EntityModel, _ property: Int) -> [Int64] {
    waiting[HeldValue(entity: model.number, property: property, value: value)]?.reversed() ?? []
  }
}

/// The values that no two rows may share at the end of a unit, though they may in its middle: unique values, values
/// that are unique together, and the targets of one-to-one relationships.
package final class RowUniqueness: RowWriterPart {
  /// The unique values that rows gave up to other rows of the same unit.
  // Each change of it is one step, so that no access needs a check.
  @exclusivity(unchecked) var displaced = UniqueValues()
  var hasDisplaced: Bool { !displaced.isEmpty }
  /// By the number of an entity: the state that its copy of displaced rows is of.
  var displacedStates: [Int: DisplacedState] = [:]
  /// The rows that may share values that are unique together.
  var suspects = RowSuspects()
  /// The targets of one-to-one relationships that rows got in this unit; see ``settleClaims(_:)``.
  var claims = RowClaims()
  /// The unique columns that the response has, by row, without uids.
  var answered: [RowKey: ColumnMask] = [:]
  /// Called for each row that took a unique value from another row, or may share values that are unique together.
  package var valueTaken: ((AnyEntityID) -> Void)?
  /// Whether an object with a uid may lose the value of a property, because the response gives its unique value or its
  /// one-to-one target to another object; `nil` where no response is taken in. The closure reads the uid only where
  /// other requests are under way.
  package var mayGiveUp: ((EntityModel, _ uid: () throws -> StoredValue, _ property: Int) throws -> Bool)? {
    get { permission }
    set { permission = newValue }
  }
  // Private, as the variables of ``RowWriter``: then the checks of exclusive access are left out.
  private var permission: ((EntityModel, _ uid: () throws -> StoredValue, _ property: Int) throws -> Bool)?

  /// How often rows of an entity got uids or may have, by its number: who has looked for rows by their uids asks.
  // It is read or counted up in one step, so that no access needs a check.
  @exclusivity(unchecked) private(set) var namings: [Int]

  override init(_ rows: RowWriter) {
    namings = Array(repeating: 0, count: rows.schema.entities.count)
    super.init(rows)
  }

  func noteNaming(_ model: EntityModel) { namings[model.number] &+= 1 }
}

extension RowUniqueness {
  /// Notes which unique columns of a row a response has, whatever their values.
  func noteAnswered(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) {
    let unique = mask.intersection(model.handedOver)
    guard !unique.isEmpty, permission != nil else { return }
    answered[RowKey(entity: model.number, pk: pk), default: ColumnMask()].formUnion(unique)
  }

  /// Runs a statement that writes the columns `mask` of a row. Rows that hold its unique values give them up.
  func run(_ statement: Statement, _ model: EntityModel, _ pk: Int64, _ row: RowValues, _ mask: ColumnMask) throws {
    do {
      try statement.run()
    } catch let error as StoreError where error.kind == .uniqueViolation {
      try runAgain(statement, model, pk, row, mask, after: error)
    }
  }

  /// Takes the values from the rows that hold them, and runs a statement again whose values are still bound.
  ///
  /// - Throws: `error` where no other row holds such a value.
  func runAgain(
    _ statement: Statement, _ model: EntityModel, _ pk: Int64, _ row: RowValues, _ mask: ColumnMask,
    after error: StoreError
  ) throws {
    var isFree = false
    for index in mask.intersection(model.unique).indices where !row[index].isNull {
      if try displaceHolders(model, index, row[index], for: pk) { isFree = true }
    }
    guard isFree else { throw error }
    try statement.run()
  }

  /// - Returns: Whether another row held the value.
  private func displaceHolders(_ model: EntityModel, _ property: Int, _ value: StoredValue, for pk: Int64) throws
    -> Bool
  {
    let name = model.properties[property].name.quoted
    let holders = try connection.rows(
      "SELECT _pk, \(name) FROM \(model.table) WHERE \(name) = ? AND _pk <> ?", [value, .integer(pk)]
    ) { (pk: $0.int64(0), value: $0.value(1)) }
    for holder in holders { try displace(model, holder.pk, property, holder.value) }
    guard !holders.isEmpty else { return false }
    valueTaken?(model.id(pk))
    return true
  }

  /// Takes a value from the row that holds it.
  func displace(_ model: EntityModel, _ pk: Int64, _ property: Int, _ value: StoredValue) throws {
    try setValue(model, pk, property, model.properties[property].displaced(pk))
    displaced.add(RowKey(entity: model.number, pk: pk), model, property, value)
  }

  /// Gives the values that a row has lost back to the rows that wait for them, where the values are free.
  func giveBack(_ model: EntityModel, _ values: RowValues?) throws {
    guard !displaced.isEmpty, let values else { return }
    for property in values.mask.indices {
      for pk in displaced.waiting(for: values[property], model, property) {
        let key = RowKey(entity: model.number, pk: pk)
        guard let value = displaced[key]?[property], try holder(model, property, value) == nil else { continue }
        try setValue(model, pk, property, value)
        displaced.remove(key, ColumnMask(property))
      }
    }
  }

  func held(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws -> RowValues? {
    guard !displaced.isEmpty, !model.unique.isEmpty, let found = try rows.find(model, pk: pk) else { return nil }
    return held(model, found, mask)
  }

  /// The unique values of a row in the columns `mask`; `nil` where no row waits for a value.
  func held(_ model: EntityModel, _ found: borrowing FoundRow, _ mask: ColumnMask) -> RowValues? {
    guard !displaced.isEmpty else { return nil }
    var values = RowValues(count: model.properties.count)
    for index in mask.intersection(model.unique).indices {
      values[index] = found.statement.value(index + EntityModel.resultOffset)
    }
    return values
  }

  /// Where a query finds the rows of an entity: in its table, with the values that rows gave up laid over it.
  ///
  /// A query finds such a row by its value: a scope may have to delete the row for the row that took the value. The
  /// cost of the first query after a write grows with the number of such rows.
  func sourceWithDisplaced(_ model: EntityModel) throws -> String {
    guard displaced.isOf(model.number) else { return model.table }
    let name = "_displaced_\(model.name)".quoted
    let stored = model.stored.indices.map { model.properties[$0] }
    let columns = (["_pk", "_edited", "_placeholder"] + stored.map(\.name.quoted)).joined(separator: ", ")
    let source =
      "(SELECT \(columns) FROM \(model.table) WHERE _pk NOT IN (SELECT _pk FROM temp.\(name))"
      + " UNION ALL SELECT \(columns) FROM temp.\(name))"
    let state = DisplacedState(version: displaced.version, rowsWritten: rows.rowsWritten)
    guard displacedStates[model.number] != state else { return source }
    // The same declared types, for the same affinity in comparisons.
    let types = stored.map { "\($0.name.quoted) \($0.sqlType)" }
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS \(name) "
        + "(\((["_pk INTEGER PRIMARY KEY", "_edited TEXT", "_placeholder INTEGER"] + types).joined(separator: ", ")))")
    try connection.execute("DELETE FROM temp.\(name)")
    let copy = try connection.prepare(
      "INSERT INTO temp.\(name) (\(columns)) SELECT \(columns) FROM \(model.table) WHERE _pk = ?")
    for (key, values) in displaced.rows where key.entity == model.number {
      try copy.run([.integer(key.pk)])
      for index in values.mask.indices {
        try connection.prepare(
          "UPDATE temp.\(name) SET \(model.properties[index].name.quoted) = ? WHERE _pk = ?"
        ).run([values[index], .integer(key.pk)])
      }
    }
    displacedStates[model.number] = state
    return source
  }

  /// The state of the unit from which a copy of displaced rows was made.
  struct DisplacedState: Equatable {
    fileprivate let version: Int
    fileprivate let rowsWritten: Int
  }

  /// Settles the unique values at the end of the unit: rows get back the values that they gave up and that no other row
  /// has. Where a response gave a value to another object, the former one has none, if the response does not have that
  /// object and the property is optional.
  ///
  /// - Parameter notes: Takes note of a violation. Returns `true` where the unit will be undone for it: the check goes
  ///   on.
  /// - Throws: ``StoreError`` of kind `uniqueViolation`. It names the row that took a value, or the target of a
  ///   one-to-one relationship, and the row that it was taken from.
  package func settleUniqueValues(_ notes: (StoreError) -> Bool = { _ in false }) throws {
    try settleClaims(notes)
    try settleDisplaced(notes)
    try checkSuspects(notes)
  }

  /// Settles the unique values at the end of an update by query, which begins when no row waits for a value.
  func settleUniqueValuesOfQuery() throws {
    try settleClaimsOfQuery()
    try settleDisplaced { _ in false }
    try checkSuspectsOfQuery()
  }

  private func settleDisplaced(_ notes: (StoreError) -> Bool) throws {
    for (key, values) in displaced.rows.sorted(by: { ($0.key.entity, $0.key.pk) < ($1.key.entity, $1.key.pk) }) {
      let model = schema.entities[key.entity]
      for property in values.mask.indices {
        if let other = try holder(model, property, values[property]) {
          if let reason = try reasonToKeep(model, key, property) {
            let error = taken(model, property, other, key.pk, reason)
            guard notes(error) else { throw error }
            continue
          }
          // The column already holds NULL.
          displaced.remove(key, ColumnMask(property))
          rows.note(model, key.pk, .updated, ColumnMask(property), .effect)
          try rows.derive(model, key.pk, after: ColumnMask(property))
          rows.notes.skips?.note(model, key.pk, valueTaken: ColumnMask(property))
          continue
        }
        try setValue(model, key.pk, property, values[property])
        displaced.remove(key, ColumnMask(property))
      }
    }
  }

  /// Why a row keeps a unique value that another row took; `nil` where the row may lose it.
  ///
  /// A response may give the value of an object to another one without having that object. It then knows more than the
  /// row: the object has another value by now, which a later page may have, or is deleted.
  private func reasonToKeep(_ model: EntityModel, _ key: RowKey, _ property: Int) throws -> String? {
    guard let mayGiveUp, property != model.uid, answered[key]?.contains(property) != true,
      let (row, values) = try rows.find(model, pk: key.pk)?.read(
        model, model.uid.map { ColumnMask($0) } ?? ColumnMask())
    else { return "" }
    guard !row.edited.contains(property) else {
      return " The latter's value was edited here: give it another one, or drop the edit."
    }
    guard case .attribute(_, isOptional: true) = model.properties[property].kind else {
      return
        " Of an object that the response does not speak of a value moves where the property is optional: declare it "
        + "so, or upsert or delete the other object first."
    }
    return try mayGiveUp(model, { model.uid.map { values[$0] } ?? .null }, property) ? nil : ""
  }

  private func taken(
    _ model: EntityModel, _ property: Int, _ other: Int64, _ former: Int64, _ reason: String
  ) -> StoreError {
    StoreError(
      .uniqueViolation,
      "'\(model.name).\(model.label(property))' is unique, and another object has that value already. "
        + "The object that was to have it too is that of row \(other), the other one that of row \(former).\(reason)",
      objects: [model.id(other), model.id(former)])
  }

  private func holder(_ model: EntityModel, _ property: Int, _ value: StoredValue) throws -> Int64? {
    let name = model.properties[property].name.quoted
    return try connection.rows("SELECT _pk FROM \(model.table) WHERE \(name) = ?", [value]) { $0.int64(0) }.first
  }

  /// Writes a value without telling the observers: for all readers the row has not changed.
  private func setValue(_ model: EntityModel, _ pk: Int64, _ property: Int, _ value: StoredValue) throws {
    try rows.execution.set(model.properties[property].name, of: model, pk, to: value)
    noteNaming(model)
  }
}

extension PropertyModel {
  /// The stored value in the column of a row that gave its value up. A column that is NOT NULL gets the row's id, in a
  /// type that no value of the property is stored in.
  fileprivate func displaced(_ pk: Int64) -> StoredValue {
    guard case .attribute(let type, isOptional: false) = kind, !isUID else { return .null }
    if case .data = type { return .integer(pk) }
    return .blob(withUnsafeBytes(of: pk.bigEndian) { Data($0) })
  }
}
