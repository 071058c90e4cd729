import EntityClient
import EntityStore

/// A request that an app sends in its own way, with the edits that it carries: any number of them may be under way for one
/// object.
@MainActor final class HandSent<E: RemoteEntity> {
  private let store: EntityStore
  private let object: E
  private let isUnsaved: Bool
  private let number: RequestNumber
  let sent: SentEdits

  convenience init(_ object: E, _ properties: String..., in store: EntityStore) {
    self.init(object, properties, in: store)
  }

  init(_ object: E, _ properties: [String], in store: EntityStore) {
    self.store = store
    self.object = object
    isUnsaved = object.isInserted
    var mask = ColumnMask()
    for property in properties {
      if let index = object._$state.model.index(of: property) { mask.insert(index) }
    }
    number = store.core.requests.begin(isWrite: true)
    sent = SentEdits(of: object, mask)
  }

  /// Whether it carries an edit of a property.
  func carries(_ property: String) -> Bool {
    object._$state.model.index(of: property).map { sent.values.mask.contains($0) } ?? false
  }

  /// Its answer, taken in as those of the verbs are.
  ///
  /// - Parameter value: `nil` for an answer without a body.
  @discardableResult
  func answer(_ value: JSONValue? = nil) async throws -> ResponseOutcome<E> {
    var upsert = ResponseUpsert<E>(value, sequence: number)
    upsert.target = object.entityID
    upsert.targetIsUnsaved = isUnsaved
    upsert.sent = sent
    upsert.isOfWrite = true
    let outcome = try await store.core.upsert(upsert)
    store.core.requests.end(number)
    try store.mergeMain()
    object.tellingObservers { sent.settle(object) }
    return outcome
  }

  /// There is no answer.
  func lose() {
    store.core.requests.end(number)
    sent.end(object)
  }
}
