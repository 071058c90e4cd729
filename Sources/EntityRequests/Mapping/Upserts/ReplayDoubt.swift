import EntityJSON
import EntityStore
import HTTPFoundation

/// A doubt about a POST: the server may have made the object of an earlier one, whose answer was lost, and answer from memory.
///
/// ```
/// POST /orders  Idempotency-Key: 5f0c  {"note": "first"}     no answer
/// POST /orders  Idempotency-Key: 5f0c  {"note": "second"}    201 {"id": 9, "note": "first"}
/// ```
/// The edit of `note` stays then, for the server does not have it.
struct ReplayDoubt: Sendable {
  /// The properties that an earlier POST did not carry with the same value. The server has them if the answer shows them.
  private let changed: ColumnMask
  /// Whether the server may know of an earlier POST that is not known here, as of one before a restart of the app. The
  /// server does not have a property that the answer shows with another value.
  private let isOfKey: Bool

  /// - Parameter earlier: What earlier POSTs of the object carried, whose answers were lost.
  /// - Returns: `nil` where there is no doubt.
  init?(of sent: SentEdits, _ request: URLRequest, earlier: [SentEdits]) {
    changed = earlier.reduce(into: ColumnMask()) { $0.formUnion(sent.differing(from: $1)) }
    // https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/, §2.1
    isOfKey = earlier.isEmpty && request.value(forHTTPHeaderField: "Idempotency-Key") != nil
    if changed.isEmpty, !isOfKey { return nil }
  }

  /// The edits of which the answer does not show that the server has them.
  ///
  /// - Parameter object: The object of the answer; `nil` where it has none.
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

  /// Whether an answer has the value of a property that was sent; `nil` where it does not say.
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
    guard let error = self as? RequestError else { return true }
    switch error.kind {
    case .transport: return (error.underlying as? TransportError)?.mayHaveBeenProcessed ?? true
    case .status: return error.status.map { $0 == 408 || $0 >= 500 } ?? true
    default: return error.wasAccepted
    }
  }
}
