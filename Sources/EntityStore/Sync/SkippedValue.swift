import EntityJSON

/// The values of a property that a response did not change.
public struct SkippedValue: Sendable, Hashable {
  /// The name of the property.
  public let property: String
  /// The server's last value before this response; `nil` where that is not known, and where the property was not edited here.
  public let base: PendingValue?
  /// The value that the property has.
  public let mine: PendingValue
  /// The value of the response.
  public let theirs: PendingValue

  /// Whether the response's value is another one than the server had before; also where that is not known.
  public var isConflict: Bool { base != theirs }

  init(property: String, base: PendingValue?, mine: PendingValue, theirs: PendingValue) {
    self.property = property
    self.base = base
    self.mine = mine
    self.theirs = theirs
  }
}

extension SchemaModel {
  /// - Parameter base: The server's last value before the answer, of a property that was edited here.
  func skippedValue(
    _ model: EntityModel, _ index: Int, base: StoredValue?, mine: StoredValue, theirs: StoredValue
  ) -> SkippedValue {
    SkippedValue(
      property: model.properties[index].name, base: base.map { pendingValue($0, model, index) },
      mine: pendingValue(mine, model, index), theirs: pendingValue(theirs, model, index))
  }
}

extension RowWriter {
  /// The values of a many-to-many list of which pairs stay.
  ///
  /// - Parameters:
  ///   - before: Its pairs before the answer.
  ///   - members: Those of the answer.
  package func skippedList(
    _ list: PropertyModel, _ membership: PropertyModel.Membership, of pk: Int64, before: [Pair], _ members: [Int64]
  ) throws -> SkippedValue {
    let target = schema.entities[membership.target]
    func ids(_ pks: [Int64]) -> PendingValue { .list(pks.map { target.id($0) }) }
    let removed = try removals(membership, of: pk)
    var base: PendingValue?
    // One without an end stands for all pairs that are not in the list.
    if !removed.contains(where: { $0.member == nil }) {
      let there = before.filter { !$0.isAddedHere || $0.isBack }.map(\.member)
      base = ids(Set(there + removed.filter { !$0.marks.isBack }.compactMap(\.member)).sorted())
    }
    return SkippedValue(
      property: list.name, base: base, mine: ids(try pairs(membership, of: pk).map(\.member)),
      theirs: ids(list.isOrdered ? members : members.sorted()))
  }
}

extension SkippedValue: CustomStringConvertible {
  /// The name and the values, as a ``SkippedChange`` shows them.
  public var description: String { "\(property) \(shown)" }

  var shown: String {
    if Self.isSecret(property) { return "…" }
    let (mine, theirs) = ("here \(Self.text(mine))", "there \(Self.text(theirs))")
    guard let base else { return "\(mine), \(theirs)" }
    return isConflict ? "\(mine), \(theirs), before \(Self.text(base))" : "\(mine), \(theirs) as before"
  }

  private static func text(_ value: PendingValue) -> String {
    switch value {
    case .attribute(.null), .object(nil): "none"
    case .attribute(.integer(let integer)): "\(integer)"
    case .attribute(.real(let real)): "\(real)"
    case .attribute(.text(let text)): "\"\(text.prefix(40).escaped)\(text.count > 40 ? "…" : "")\""
    case .attribute(.blob(let blob)): "\(blob.count) bytes"
    case .object(let id?): "\(id.entityName) (row \(id.pk))"
    case .list(let ids): ids.count == 1 ? "1 object" : "\(ids.count) objects"
    }
  }

  /// The print of a response lands in logs.
  private static func isSecret(_ property: String) -> Bool {
    let name = property.lowercased()
    return ["password", "passwd", "passphrase", "secret", "token", "apikey", "privatekey", "credential"].contains {
      name.contains($0)
    }
  }
}
