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

  private let form: ShownProperty

  init(
    property: String, form: ShownProperty? = nil, base: PendingValue?, mine: PendingValue, theirs: PendingValue
  ) {
    self.property = property
    self.form = form ?? ShownProperty(name: property)
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
      property: model.properties[index].name, form: ShownProperty(model.properties[index]),
      base: base.map { pendingValue($0, model, index) },
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

extension SkippedValue: CustomStringConvertible, CustomReflectable {
  /// The name and the values, as a ``SkippedChange`` shows them.
  public var description: String { "\(property) \(shown)" }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  var shown: String {
    if form.isSecret { return "…" }
    let (mine, theirs) = ("here \(form.text(mine, none: "none"))", "there \(form.text(theirs, none: "none"))")
    guard let base else { return "\(mine), \(theirs)" }
    return isConflict ? "\(mine), \(theirs), before \(form.text(base, none: "none"))" : "\(mine), \(theirs) as before"
  }
}
