/// The lazy values of a row that was found: each is read, or compared, by a statement of its own.
final class LazyCells {
  private let model: EntityModel
  private let pk: Int64
  private let rows: RowWriter

  init(_ model: EntityModel, _ pk: Int64, _ rows: RowWriter) {
    self.model = model
    self.pk = pk
    self.rows = rows
  }

  func contains(_ property: Int) -> Bool { model.lazy.contains(property) }

  /// The value; NULL where it can't be read, which ``RowChecks/checkLazies()`` throws.
  func value(_ property: Int) -> StoredValue {
    reading { try rows.connection.rows(model.selectLazy(property), [.integer(pk)]) { $0.value(0) }.first } ?? .null
  }

  /// Whether the row has exactly `value`. SQLite compares them: the row's value is not copied, and one that has another length
  /// is not read.
  func has(_ value: StoredValue, _ property: Int) -> Bool {
    let name = "t." + model.properties[property].name.quoted
    let sql =
      "SELECT 1 FROM \(model.table) AS t WHERE t._pk = ?1 AND typeof(\(name)) = typeof(?2) "
      + "AND (typeof(?2) <> 'blob' OR length(\(name)) = length(?2)) AND \(name) IS ?2"
    return reading { try !rows.connection.rows(sql, [.integer(pk), value]) { _ in true }.isEmpty } ?? false
  }

  private func reading<T>(_ body: () throws -> T?) -> T? {
    do {
      return try body()
    } catch {
      rows.checks.lazyFailure = error
      return nil
    }
  }
}
