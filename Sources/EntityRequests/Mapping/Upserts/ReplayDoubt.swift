import EntityJSON
import EntityStore
import HTTPFoundation

/// A doubt about a POST: the answer to an earlier POST was lost. The server may have made the object of the earlier
/// POST, and may answer from memory.
///
/// ```
/// POST /orders  Idempotency-Key: 5f0c  {"note": "first"}     no answer
/// POST /orders  Idempotency-Key: 5f0c  {"note": "second"}    201 {"id": 9, "note": "first"}
/// ```
/// Then the edit of `note` stays, because the server does not have it.
struct ReplayDoubt: Sendable {
  /// The properties that an earlier POST carried with another value, or not at all. The server has the new value only
  /// if the answer shows it.
  private let changed: ColumnMask
  /// Whether the server may know an earlier POST that is not known here, such as one before a restart of the app. Then
  /// the server lacks the sent value of a property that the answer shows with another value.
  private let isOfKey: Bool

  /// - Parameter earlier: The edits in earlier POSTs of the object whose answers were lost.
  /// - Returns: `nil` when there is no doubt.
  init?(of sent: SentEdits, _ request: URLRequest, earlier: [SentEdits]) {
    changed = earlier.reduce(into: ColumnMask()) { $0.formUnion(sent.differing(from: $1)) }
    // https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/, §2.1
    isOfKey = earlier.isEmpty && request.value(forHTTPHeaderField: "Idempotency-Key") != nil
    if changed.isEmpty, !isOfKey { return nil }
  }

  /// The edits that the server may not have, because the answer does not show them.
  ///
  /// - Parameter object: The object of the answer; `nil` when the answer has none.
  func unshown(
    _ sent: SentEdits, in object: JSONObject?, _ plan: MappingPlan, _ rows: RowWriter, _ session: UpsertSession
  ) throws -> ColumnMask {
    var mask = ColumnMask()
    for index in sent.values.mask.union(changed).indices {
      switch try object.flatMap({ try shows($0, index, sent, plan, rows, session) }) {
      case true?: continue
      case false?: if changed.contains(index) || isOfKey { mask.insert(index) }
      case nil: if changed.contains(index) { mask.insert(index) }
      }
    }
    return mask
  }

  /// Whether an answer has the value of a property that was sent; `nil` when the answer does not say.
  private func shows(
    _ object: JSONObject, _ index: Int, _ sent: SentEdits, _ plan: MappingPlan, _ rows: RowWriter,
    _ session: UpsertSession
  ) throws -> Bool? {
    let property = plan.model.properties[index]
    guard let value = object.value(for: index == plan.model.uid ? plan.uidKey : property.key) else { return nil }
    /// Whether a value names the object of a row.
    func names(_ value: JSONValue, _ pk: Int64, _ target: EntityModel) throws -> Bool {
      guard let uid = target.uid, let own = try rows.find(target, pk: rows.collisions.survivor(target, pk))?.value(uid)
      else {
        return false
      }
      let plan = session.plan(target)
      return try (value.object.map { try plan.uid(of: $0) } ?? plan.uid(value))?.isIdentical(to: own) == true
    }
    switch property.kind {
    case .attribute(let type, _):
      let stored =
        if let rules = property.rules {
          try? AttributeConversion.storedValue(value, rules)
        } else {
          AttributeConversion.storedValue(value, type)
        }
      return stored?.isIdentical(to: sent.values[index]) == true
    case .toOne(let target, _, _):
      let target = rows.schema.entities[target]
      // Nothing tells which embedded object an object of the answer is.
      guard target.uid != nil else { return nil }
      let pk = sent.values.link(index)
      return try pk == 0 ? value.isNull : names(value, pk, target)
    case .manyToMany(let membership, _):
      guard let members = sent.lists[index], let elements = value.list.map(Array.init), elements.count == members.count
      else { return false }
      let target = rows.schema.entities[membership.target]
      return try members.allSatisfy { pk in try elements.contains { try names($0, pk, target) } }
    case .toMany: return nil
    }
  }
}

extension Error {
  /// Whether the server may have done what a request asked for, although the request failed with this error.
  var mayHaveBeenDone: Bool {
    (self as? RequestError)?.mayHaveBeenProcessed ?? true
  }
}
