/// A rule for a property of an entity; see ``ValidatedEntity``.
///
/// An Optional without a value breaks only ``required(_:_:)``.
public struct ValidationRule<E: ManagedEntity> {
  let property: PartialKeyPath<E>?
  let message: String
  let holds: (E) -> Bool

  /// A rule of your own for a property: `.rule(\.code, "must be even") { $0 % 2 == 0 }`.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - message: Says what is wrong, after the name of the property: "must be even".
  ///   - holds: Whether a value is right.
  public static func rule<V>(
    _ property: KeyPath<E, V>, _ message: String, _ holds: @escaping (V) -> Bool
  ) -> Self {
    ValidationRule(property: property, message: message) { holds($0[keyPath: property]) }
  }

  /// The property has a value.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - message: Says what is wrong.
  public static func required<V>(_ property: KeyPath<E, V?>, _ message: String = "has no value") -> Self {
    rule(property, message) { $0 != nil }
  }

  /// A text, or another collection, is not empty.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - message: Says what is wrong.
  public static func notEmpty<V: Collection>(_ property: KeyPath<E, V>, _ message: String = "is empty") -> Self {
    rule(property, message) { !$0.isEmpty }
  }

  /// A text, or another collection, is `nil` or not empty.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - message: Says what is wrong.
  public static func notEmpty<V: Collection>(_ property: KeyPath<E, V?>, _ message: String = "is empty") -> Self {
    rule(property, message) { $0.map { !$0.isEmpty } ?? true }
  }

  /// A text, or another collection, has a length within bounds: `.length(\.name, 1...80)`. The length of a text is in
  /// characters.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - bounds: A range of any kind.
  ///   - message: Says what is wrong.
  public static func length<V: Collection>(
    _ property: KeyPath<E, V>, _ bounds: some RangeExpression<Int>, _ message: String? = nil
  ) -> Self {
    rule(property, message ?? "has a length that is not \(text(bounds))") { bounds.contains($0.count) }
  }

  /// A text, or another collection, is `nil` or has a length within bounds.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - bounds: A range of any kind.
  ///   - message: Says what is wrong.
  public static func length<V: Collection>(
    _ property: KeyPath<E, V?>, _ bounds: some RangeExpression<Int>, _ message: String? = nil
  ) -> Self {
    rule(property, message ?? "has a length that is not \(text(bounds))") {
      $0.map { bounds.contains($0.count) } ?? true
    }
  }

  /// A value is within bounds: `.range(\.age, 0...150)`.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - bounds: A range of any kind.
  ///   - message: Says what is wrong.
  public static func range<V: Comparable>(
    _ property: KeyPath<E, V>, _ bounds: some RangeExpression<V>, _ message: String? = nil
  ) -> Self {
    rule(property, message ?? "is not \(text(bounds))") { bounds.contains($0) }
  }

  /// A value is `nil` or within bounds.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - bounds: A range of any kind.
  ///   - message: Says what is wrong.
  public static func range<V: Comparable>(
    _ property: KeyPath<E, V?>, _ bounds: some RangeExpression<V>, _ message: String? = nil
  ) -> Self {
    rule(property, message ?? "is not \(text(bounds))") { $0.map { bounds.contains($0) } ?? true }
  }

  /// The whole of a text matches a regular expression: `.matches(\.code, /[A-Z]{3}/)`.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - regex: The expression.
  ///   - message: Says what is wrong.
  public static func matches(
    _ property: KeyPath<E, String>, _ regex: some RegexComponent, _ message: String = "has another form"
  ) -> Self {
    rule(property, message) { $0.wholeMatch(of: regex) != nil }
  }

  /// A text is `nil`, or the whole of it matches a regular expression.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - regex: The expression.
  ///   - message: Says what is wrong.
  public static func matches(
    _ property: KeyPath<E, String?>, _ regex: some RegexComponent, _ message: String = "has another form"
  ) -> Self {
    rule(property, message) { $0.map { $0.wholeMatch(of: regex) != nil } ?? true }
  }

  private static func text<V: Comparable>(_ bounds: some RangeExpression<V>) -> String {
    switch bounds {
    case let range as PartialRangeFrom<V>: "\(range.lowerBound) or more"
    case let range as PartialRangeThrough<V>: "\(range.upperBound) or less"
    case let range as PartialRangeUpTo<V>: "less than \(range.upperBound)"
    default: "within \(bounds)"
    }
  }
}

/// The problems of an object, while it is checked.
public struct ValidationProblems<E: ManagedEntity> {
  private let object: E
  /// The lazy properties that were set, and that a query sent to the transaction of a unit.
  private let sent: ColumnMask
  private(set) var all: [ValidationProblem] = []

  init(_ object: E) {
    self.object = object
    sent = object._$state.context?.saves.due.unchecked[ObjectIdentifier(object)]?.lazy ?? ColumnMask()
  }

  /// Adds a problem of the object as a whole.
  ///
  /// - Parameter message: Says what is wrong.
  public mutating func add(_ message: String) { add(nil, message) }

  /// Adds a problem of a property.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - message: Says what is wrong, after the name of the property.
  public mutating func add<V>(_ property: KeyPath<E, V>, _ message: String) {
    add(property as PartialKeyPath<E>, message)
  }

  private mutating func add(_ property: PartialKeyPath<E>?, _ message: String) {
    let model = object._$state.model
    let name = property.flatMap { model.index(of: $0) }.map { model.properties[$0].name }
    all.append(ValidationProblem(object: object._$state.id, property: name, message: message))
  }
}

extension ValidationProblems where E: ValidatedEntity {
  /// Checks the object with the rules and with its own function.
  mutating func check(_ rules: [ValidationRule<E>]) {
    for rule in rules where isDue(rule) && !rule.holds(object) { add(rule.property, rule.message) }
    object.validate(&self)
  }

  /// A lazy property that was not set is as it was at the last check, and is not read again.
  private func isDue(_ rule: ValidationRule<E>) -> Bool {
    let state = object._$state
    guard !state.model.lazy.isEmpty, let index = rule.property.flatMap({ state.model.index(of: $0) }),
      state.model.lazy.contains(index)
    else { return true }
    return state.isInserted || state.unsaved.contains(index) || sent.contains(index)
  }
}
