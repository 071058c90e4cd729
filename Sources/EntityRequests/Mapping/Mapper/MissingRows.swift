import EntityStore

/// A row that is to be deleted because a response lacks it.
struct MissingRow {
  let model: EntityModel
  let pk: Int64
  let uid: StoredValue

  var key: RowKey { .init(entity: model.number, pk: pk) }
}

extension MissingScope {
  /// The rows of the scope that are to be deleted because a response lacks them.
  ///
  /// - Parameters:
  ///   - kept: The rows that the response has.
  ///   - begin: The request that newer answers are newer than; by default that of the session.
  /// - Throws: ``TooManyMissing`` when there are more rows than the limit allows.
  func rows(
    _ rows: RowWriter, _ session: UpsertSession, keeping kept: RowBits, since begin: RequestNumber?
  ) throws -> [MissingRow] {
    let model = try rows.schema.model(Entity.self)
    let absent = try QueriedRows(rows).missing(model, in: query, keeping: kept) {
      if session.gone.rows[$0] == nil { session.skips?.note(model, $0, .locallyEdited) }
    }
    let missing = try staying(
      absent.compactMap { row -> MissingRow? in
        // The row goes anyway, because the response says that it is deleted.
        guard session.gone.rows[row.pk] == nil else { return nil }
        // A newer answer has the row, so the list is older than the row.
        guard let newer = session.newer(model, row.uid, than: begin), newer.isEmpty else {
          session.skips?.note(model, row.pk, .newerAnswer)
          return nil
        }
        return MissingRow(model: model, pk: row.pk, uid: row.uid)
      }, rows, session)
    guard let limit else { return missing }
    let scopeCount = { try QueriedRows(rows).count(model, in: query) }
    guard try !limit.allows(missing.count, of: scopeCount()) else { return missing }
    throw TooManyMissing(
      ids: missing.prefix(1_000).map { model.id($0.pk) }, count: missing.count, scopeCount: try scopeCount(),
      limit: limit)
  }

  /// Leaves out the rows that the entity keeps although they are missing.
  private func staying(_ missing: [MissingRow], _ rows: RowWriter, _ session: UpsertSession) throws -> [MissingRow] {
    guard !missing.isEmpty, let type = Entity.self as? any RemoteEntity.Type else { return missing }
    let kept = try type.staying(missing.map(\.pk), in: rows)
    guard !kept.isEmpty else { return missing }
    return missing.filter { row in
      guard kept.contains(row.pk) else { return true }
      session.skips?.note(row.model, row.pk, .kept)
      return false
    }
  }
}

extension RemoteEntity {
  fileprivate static func staying(_ pks: [Int64], in rows: RowWriter) throws -> Set<Int64> {
    guard let predicate = staysWhenMissing(QueryRow<Self>.root) else { return [] }
    let query = EntityQuery<Self>(predicate: predicate, includesPlaceholders: true)
    return try QueriedRows(rows).all(of: pks, within: query)
  }
}
