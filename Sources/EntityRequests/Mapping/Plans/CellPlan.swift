import EntityJSON
import EntityStore

/// Where the fields of an entity's objects go in the rows of a batch.
final class CellPlan {
  let reader: JSONCellReader
  /// The property that is the uid.
  let uid: Int
  /// Properties whose key another one has, too: by that one. The other takes the same value, in its own form.
  let twins: [(first: Int, others: [Int])]
  /// Properties whose key is a path.
  let paths: [PropertyPath]
  let ofPaths: ColumnMask
  /// The column of the key that says that an object is deleted; `nil` without such a key.
  let deletion: Int?

  /// - Returns: `nil` for an entity whose objects go one by one: their update is written by hand, or their rules ask the store.
  init?(_ plan: MappingPlan) {
    let model = plan.model
    guard let uid = model.uid, plan.uidType != nil, !plan.isByHand, plan.isPlain, model.goesByBatch,
      model.properties.count < ColumnMask.mostInBatch
    else { return nil }
    let keys = plan.fields.map { (property: $0, key: JSONKeyPath(model.properties[$0].key).keys[0]) }
    var fields = keys.map { property, key -> JSONCellReader.Field in
      guard case .attribute(let type, let isOptional) = model.properties[property].kind,
        !model.ruled.contains(property), plan.twins[property] == nil
      else { return .init(key, column: property, form: .open, takesNull: false) }
      return .init(key, column: property, form: type.cellForm, takesNull: isOptional)
    }
    guard case .attribute(let uidType, _) = model.properties[uid].kind else { return nil }
    guard JSONKeyPath(plan.uidKey).isItself(plan.uidKey) else { return nil }
    fields.append(
      .init(
        plan.uidKey, column: uid, form: model.ruled.contains(uid) ? .open : uidType.cellForm, takesNull: false))
    var deletion: Int?
    if let deletionKey = plan.deletionKey {
      guard JSONKeyPath(deletionKey).isItself(deletionKey) else { return nil }
      if let property = keys.first(where: { $0.key == deletionKey })?.property {
        deletion = property
      } else {
        deletion = model.properties.count
        fields.append(.init(deletionKey, column: model.properties.count, form: .open, takesNull: false))
      }
    }
    guard Set(fields.map(\.key)).count == fields.count else { return nil }
    self.uid = uid
    twins = plan.twins.map { (first: $0, others: $1) }
    paths = plan.paths
    ofPaths = paths.reduce(into: ColumnMask()) { $0.insert($1.property) }
    self.deletion = deletion
    reader = JSONCellReader(fields)
  }
}

extension JSONKeyPath {
  /// Whether the path is one key, written as it is.
  fileprivate func isItself(_ key: String) -> Bool { isOneKey && keys[0] == key }
}

extension AttributeType {
  /// How a response's value becomes a cell. Types that are rare, or costly anyway, go by way of ``AttributeConversion``.
  fileprivate var cellForm: JSONCellReader.Form {
    switch self {
    case .integer(let bits, isSigned: true):
      .integer(lowest: .min >> Int64(64 - min(64, bits)), highest: .max >> Int64(64 - min(64, bits)))
    case .integer(let bits, isSigned: false):
      .integer(lowest: 0, highest: bits >= 64 ? .max : 1 << Int64(bits) - 1)
    case .bool: .bool
    case .double: .double
    case .string: .text
    case .date: .date
    default: .open
    }
  }
}
