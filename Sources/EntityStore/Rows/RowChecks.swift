/// The checks of rows that are written.
package final class RowChecks: RowWriterPart {
  /// The relationships that rows may lack until ``checkPostponed()``.
  private(set) var incomplete: [RowKey: ColumnMask] = [:]
  /// The error of a lazy value that could not be read for a comparison; see ``checkLazies()``.
  var lazyFailure: (any Error)?

  /// - Throws: ``StoreError`` of kind `invalidObject` when a row lacks some of the relationships in `mask`.
  func checkRequired(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ source: RowSource) throws {
    if source.isPostponing {
      return incomplete[RowKey(entity: model.number, pk: pk), default: ColumnMask()].formUnion(mask)
    }
    let problems = try missingLinks(model, pk, mask)
    guard problems.isEmpty else { throw StoreError(problems) }
  }

  /// Checks the rows that were allowed to lack a relationship for a while.
  func checkPostponed() throws {
    let problems = try incomplete.sorted { ($0.key.entity, $0.key.pk) < ($1.key.entity, $1.key.pk) }
      .flatMap { try missingLinks(schema.entities[$0.key.entity], $0.key.pk, $0.value) }
    guard problems.isEmpty else { throw StoreError(problems) }
    incomplete = [:]
  }

  private func missingLinks(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws -> [ValidationProblem] {
    guard let found = try rows.find(model, pk: pk) else { return [] }
    return mask.indices.filter { found.link($0) == 0 }
      .map { ValidationProblem(missing: model.properties[$0].name, of: model.id(pk)) }
  }

  func checkNulls(_ model: EntityModel, _ pk: Int64, _ row: RowValues, _ mask: ColumnMask? = nil) throws {
    for index in (mask ?? row.mask).indices where row[index].isNull && !model.identity.contains(index) {
      guard case .attribute(_, isOptional: false) = model.properties[index].kind else { continue }
      throw StoreError(
        .invalidValue, "'\(model.name).\(model.properties[index].name)' is not optional and has no value.",
        objects: [model.id(pk)])
    }
  }

  /// Throws the error of a lazy value that could not be read, before anything is written that follows from it.
  func checkLazies() throws {
    guard let error = lazyFailure else { return }
    lazyFailure = nil
    throw error
  }
}
