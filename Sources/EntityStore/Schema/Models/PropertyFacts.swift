/// The facts of a property that its declaration says, and that follow from nothing else in the schema.
struct PropertyFacts: Sendable {
  /// Whether it is a to-one relationship that every saved object has.
  var isRequired = false
  /// Whether it is the side of a one-to-one relationship without a column.
  var isCounterpart = false
  /// Whether its value is read when the property is; see ``LazyValue``.
  var isLazy = false
  /// Whether an attribute is stored as its raw value.
  var isRaw = false
  /// Whether the default is another value than the one that a property without value reads as.
  var isPreset = false
  /// Whether the declaration has a default. Without one a property has the neutral value of its type, which stands for no
  /// value.
  var isDefaultDeclared = false
  /// The value that a property which was read from a row would be written as: another one where a column has what no save
  /// writes, as a UUID in lower case.
  var reading: @Sendable (StoredValue) -> StoredValue = { $0 }
  /// The form in which an attribute has a value; `nil` for one that it can't have.
  var stored: @Sendable (StoredValue) -> StoredValue? = { $0 }
  /// The conversions of an attribute between its row and a server.
  var rules: AttributeRules?
  /// How the value follows from other attributes; `nil` for a property that has a value of its own.
  var derivation: Derivation?
  /// The names that the property had in earlier versions of the app.
  var formerNames: [String] = []
}
