/// The facts of a property in its declaration, which nothing else in the schema implies.
struct PropertyFacts: Sendable {
  /// Whether the property is a to-one relationship that every saved object has.
  var isRequired = false
  /// Whether the property is the side of a one-to-one relationship without a column.
  var isCounterpart = false
  /// Whether the value is read only when the property is; see ``LazyValue``.
  var isLazy = false
  /// Whether an attribute is stored as its raw value.
  var isRaw = false
  /// Whether the default differs from the value as which a property without a value reads.
  var isPreset = false
  /// Whether the declaration has a default. Without a default, a property has the neutral value of its type, which
  /// stands for no value.
  var isDefaultDeclared = false
  /// The value as which a property would be written after it was read from a row. It differs where a column has a value
  /// that no save writes, such as a UUID in lower case.
  var reading: @Sendable (StoredValue) -> StoredValue = { $0 }
  /// The form of an attribute's value; `nil` for a value that the attribute can't have.
  var stored: @Sendable (StoredValue) -> StoredValue? = { $0 }
  /// The conversions of an attribute between its row and a server.
  var rules: AttributeRules?
  /// How the value follows from other attributes; `nil` for a property with a value of its own.
  var derivation: Derivation?
  /// The names that the property had in earlier versions of the app.
  var formerNames: [String] = []
}
