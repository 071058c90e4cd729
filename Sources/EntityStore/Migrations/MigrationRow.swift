extension Migration {
  /// A row as a step of a ``Migration`` reads and changes it.
  public struct Row: Sendable {
    private let names: [String]
    private var values: [StoredValue]
    private var changed: [(name: String, value: StoredValue)] = []

    init(_ names: [String], _ values: [StoredValue]) {
      self.names = names
      self.values = values
    }

    /// The row's own key, to which links refer; 0 in the rows of a query without the key.
    public var key: Int64 {
      if case .integer(let key) = self["_pk"] { key } else { 0 }
    }

    /// The properties with local edits that the server does not have yet. A property that takes over the value of an
    /// edited property must be marked as edited too: else the next response overwrites the value.
    public var edited: Set<String> {
      get {
        guard case .text(let names) = self["_edited"] else { return [] }
        return Set(names.split(separator: ",").map(String.init)).subtracting([EditMarks.new])
      }
      set {
        let names = (isMadeHere ? [EditMarks.new] : []) + newValue.sorted()
        self["_edited"] = names.isEmpty ? .null : .text(names.joined(separator: ","))
      }
    }

    /// Whether the object was made here, and no answer has shown that the server has it. A step does not change that.
    private var isMadeHere: Bool {
      guard case .text(let names) = self["_edited"] else { return false }
      return names.split(separator: ",").contains(Substring(EditMarks.new))
    }

    /// A value as it is stored. A missing column reads as no value; a step that sets one fails.
    public subscript(_ name: String) -> StoredValue {
      get { names.firstIndex(of: name).map { values[$0] } ?? .null }
      set {
        if let index = names.firstIndex(of: name) { values[index] = newValue }
        changed.removeAll { $0.name == name }
        changed.append((name, newValue))
      }
    }

    /// A value of a type. It reads as `nil` where there is no value, or a value of another form.
    public subscript<V: AttributeValue>(_ name: String, as type: V.Type) -> V? {
      get {
        let value = self[name]
        return value.isNull ? nil : V._value(value)
      }
      set { self[name] = newValue.flatMap { try? V._stored($0) } ?? .null }
    }

    var changes: [(name: String, value: StoredValue)] { changed }
  }
}
