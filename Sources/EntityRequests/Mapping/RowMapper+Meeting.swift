import EntityStore

// An object that was made here gets its uid from an answer, and another answer was faster and has made a row for that uid.
// The two rows become one when the uid is written; see UIDCollision.swift.

extension RowMapper {
  /// Takes what the other row has and the answer should not change: what newer answers wrote, and what neither this
  /// answer nor the object's own row has from anybody.
  ///
  /// - Parameters:
  ///   - target: The row that the object is.
  ///   - newer: What the answer leaves to newer ones.
  ///   - staying: Gets those columns of the answer that have another value.
  /// - Returns: The columns that were taken.
  func takeOver(
    from model: EntityModel, uid: StoredValue, target: Int64, _ newer: ColumnMask, _ row: inout RowValues,
    _ staying: inout MergePolicy.Staying
  ) throws -> ColumnMask {
    guard let other = try rows.find(model, uid: uid) else { return ColumnMask() }
    guard other.pk != target else { return ColumnMask() }
    let taken = try session.taken(model, from: other.row, by: target, newer, given: row.mask, rows)
    let given = row
    for index in taken.indices {
      row[index] = other.value(index)
      // A link to itself stays one.
      if case .toOne(model.number, _, _) = model.properties[index].kind, other.link(index) == other.pk {
        row.setLink(target, index)
      }
      if given.mask.contains(index), !given[index].isIdentical(to: row[index]) {
        staying.newer.formUnion(.single(index))
      }
    }
    return taken
  }

  /// A newer answer deleted the object whose uid this one tells: the row that waited for the uid goes too.
  func noteLateArrival(_ model: EntityModel, uid: StoredValue?, target: Int64?) throws {
    guard let uid, let target, let found = try rows.find(model, pk: target) else { return }
    guard let index = model.uid, found.value(index).isNull else { return }
    session.noteDeletion(model, target, uid, isPlaceholder: false)
  }
}

extension ObjectMapper {
  /// As ``RowMapper/takeOver(from:uid:target:_:_:_:)``, before the update by hand runs, which tells what the answer has.
  func takeOver(
    _ model: EntityModel, uid: StoredValue, _ object: any ManagedEntity, _ newer: ColumnMask
  ) throws {
    let pk = object._$state.pk
    guard let rows = context.rows, let other = try rows.current(model, uid: uid), other.pk != pk else { return }
    let taken = try session.taken(model, from: other, by: pk, newer, given: ColumnMask(), rows)
    let values = context.existing(model, pk: other.pk).loadedValues(taken)
    context.updating(object, .keepingEdits, newer: ColumnMask()) {
      for index in taken.indices {
        let property = model.properties[index]
        guard case .toOne(let target, _, _) = property.kind else {
          _ = property.set(object, values[index])
          continue
        }
        var link = values.link(index)
        if target == model.number, link == other.pk { link = pk }
        property.link(object, link == 0 ? nil : context.existing(session.core.schema.entities[target], pk: link))
      }
    }
  }

  /// As ``RowMapper/noteLateArrival(_:uid:target:)``.
  func noteLateArrival(_ model: EntityModel, uid: StoredValue?, _ known: (any ManagedEntity)?) {
    guard let uid, let known, !known.isDeleted, known.serverUID == nil, context.isOfResponse else { return }
    session.noteDeletion(model, known._$state.pk, uid, isPlaceholder: false)
  }
}

extension UpsertSession {
  /// The columns that the row `target` takes from the one that has its uid already.
  ///
  /// - Parameter given: The columns that the answer has.
  func taken(
    _ model: EntityModel, from other: RowWriter.Current, by target: Int64, _ newer: ColumnMask,
    given: ColumnMask, _ rows: RowWriter
  ) throws -> ColumnMask {
    var taken = newer.intersection(model.stored)
    // What nobody set has its default, and what was sent is the server's.
    if !other.isPlaceholder {
      taken.formUnion(model.stored.subtracting(given).subtracting(acknowledgedColumns))
    }
    taken.subtract(other.edited)
    if let own = try rows.current(model, pk: target) { taken.subtract(own.edited) }
    return model.uid.map { taken.subtracting(.single($0)) } ?? taken
  }
}
