import EntityJSON
public import Foundation

extension StorePending {
  /// The pending changes as JSON, to be kept before a ``EntityStore/reset(discardsPending:)`` or sent to support.
  ///
  /// ```json
  /// {"changes":[{"edits":[{"base":"old@example.com","property":"email","time":1763800000,"value":"new@example.com"}],
  ///   "entity":"User","kind":"edit","row":17,"time":1763800000,"uid":"7"}],"version":1}
  /// ```
  /// `kind` is `insert`, `edit` or `deletion`. `row` is the row id, by which other changes refer to the object.
  /// Attributes are as in their columns, a BLOB as `{"base64":"…"}`. A to-one relationship is
  /// `{"entity":"Team","row":3}` or null, and a list is an array of these. The keys `base`, `time` and `uid` are
  /// missing where the value is unknown. Times are seconds since 1970. An infinity is null, as JSON has none.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public func export() async throws -> Data {
    try await core.read { context in
      let changes = try context.pendingChanges().map(\.exported)
      return JSONObject(["version": 1, "changes": JSONValue(changes)]).data(format: .sorted)
    }
  }
}

extension PendingChange {
  fileprivate var exported: JSONValue {
    var fields: [String: JSONValue] = [
      "kind": JSONValue(kind.rawValue), "entity": JSONValue(entity), "row": JSONValue(id.pk),
      "edits": JSONValue(edits.map(\.exported)),
    ]
    fields["uid"] = uid.map { JSONValue($0) }
    fields["time"] = time.map { JSONValue($0.timeIntervalSince1970) }
    return JSONObject(fields).value
  }
}

extension PendingChange.Edit {
  fileprivate var exported: JSONValue {
    var fields: [String: JSONValue] = ["property": JSONValue(property), "value": value.exported]
    fields["base"] = base?.exported
    fields["time"] = time.map { JSONValue($0.timeIntervalSince1970) }
    return JSONObject(fields).value
  }
}

extension PendingValue {
  fileprivate var exported: JSONValue {
    switch self {
    case .attribute(.null): .null
    case .attribute(.integer(let integer)): JSONValue(integer)
    case .attribute(.real(let double)): JSONValue(double)
    case .attribute(.text(let text)): JSONValue(text)
    case .attribute(.blob(let data)): ["base64": JSONValue(data.base64EncodedString())]
    case .object(let id): id.map(Self.exported) ?? .null
    case .list(let ids): JSONValue(ids.map(Self.exported))
    }
  }

  private static func exported(_ id: AnyEntityID) -> JSONValue {
    ["entity": JSONValue(id.entityName), "row": JSONValue(id.pk)]
  }
}
