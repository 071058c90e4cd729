/// Looks for mistakes in the columns that the store keeps for itself in the tables of entities: `_missing`, `_heard`.
///
/// A name in `_missing` that the schema does not have is none: the property was set aside, or a newer version of the app
/// has it. A time in the future is none either, because a clock may have been put back.
struct OwnColumnCheck {
  let connection: Connection
  let schema: SchemaModel

  /// - Parameter most: The most problems of each column.
  func problems(most: Int) throws -> [StoreCheck.Problem] {
    try schema.declared.flatMap { model in
      try wrongNames(model, most) + wrongTimes(model, most)
    }
  }

  /// Rows whose list of missing properties can't be read, or has a property that a row always has.
  private func wrongNames(_ model: EntityModel, _ most: Int) throws -> [StoreCheck.Problem] {
    guard model.coverage != nil else { return [] }
    let column = PropertyModel.coverageName.quoted
    let statement = try connection.prepare("SELECT _pk, \(column) FROM \(model.table) WHERE \(column) IS NOT NULL")
    defer { statement.reset() }
    var problems: [StoreCheck.Problem] = []
    while problems.count < most, try statement.step() {
      guard let mistake = mistake(of: statement.value(1), model) else { continue }
      problems.append(
        problem(
          "Row \(statement.int64(0)) of '\(model.name)' does not say which properties no response had: \(mistake).",
          model,
          statement.int64(0)))
    }
    return problems
  }

  private func mistake(of value: StoredValue, _ model: EntityModel) -> String? {
    guard case .text(let text) = value else { return "its list of names is no text" }
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    if names.contains("") { return "a name in its list is empty" }
    if Set(names).count < names.count { return "a name stands twice in its list" }
    let owned = names.first { name in model.index(of: String(name)).map { !model.coverable.contains($0) } ?? false }
    return owned.map { "its list has '\($0)', which each row has" }
  }

  /// Rows with something else than a time.
  private func wrongTimes(_ model: EntityModel, _ most: Int) throws -> [StoreCheck.Problem] {
    guard model.age != nil else { return [] }
    let column = PropertyModel.ageName.quoted
    return try connection.rows(
      "SELECT _pk FROM \(model.table) WHERE typeof(\(column)) NOT IN ('integer', 'null') OR \(column) < 0 LIMIT ?",
      [.integer(Int64(most))]
    ) { row in
      problem(
        "Row \(row.int64(0)) of '\(model.name)' has no time at which a response last had it, but another value.", model,
        row.int64(0))
    }
  }

  private func problem(_ text: String, _ model: EntityModel, _ pk: Int64) -> StoreCheck.Problem {
    StoreCheck.Problem(kind: .bookkeeping, object: model.id(pk), text: text)
  }
}
