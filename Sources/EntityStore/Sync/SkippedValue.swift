extension SkippedChange {
  /// The values of a property that a response did not change.
  public struct Value: Sendable, Hashable {
    /// The name of the property.
    public let property: String
    /// The server's last value before this response; `nil` where that is not known, and where the property was not edited here.
    public let base: PendingValue?
    /// The value that the property has; for the reason ``SkippedChange/Reason/yielded`` the edit that gave way.
    public let mine: PendingValue
    /// The value of the response.
    public let theirs: PendingValue

    /// Whether the response's value differs from the server's value before; `true` also where that is not known.
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
}

extension SchemaModel {
  /// - Parameter base: The server's last value before the answer, for a property that was edited here.
  func skippedValue(
    _ model: EntityModel, _ index: Int, base: StoredValue?, mine: StoredValue, theirs: StoredValue
  ) -> SkippedChange.Value {
    SkippedChange.Value(
      property: model.properties[index].name, form: ShownProperty(model.properties[index]),
      base: base.map { pendingValue($0, model, index) },
      mine: pendingValue(mine, model, index), theirs: pendingValue(theirs, model, index))
  }
}

extension SkippedChange.Value: CustomStringConvertible, CustomReflectable {
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
