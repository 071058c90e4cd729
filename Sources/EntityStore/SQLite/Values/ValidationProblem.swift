/// A rule that an object breaks; see ``ValidatedEntity``.
public struct ValidationProblem: Sendable, Hashable, CustomStringConvertible {
  /// The object.
  public let object: AnyEntityID
  /// The name of the property that the rule is about; `nil` for a rule about several properties, or about a property
  /// that is not stored.
  public let property: String?
  /// The message of the rule. It has no value of the object, unless the rule put a value there.
  public let message: String

  public init(object: AnyEntityID, property: String?, message: String) {
    self.object = object
    self.property = property
    self.message = message
  }

  public var description: String {
    property.map { "\(object): '\($0)' \(message)" } ?? "\(object): \(message)"
  }
}

extension ValidationProblem {
  /// A required relationship without an object.
  init(missing property: String, of object: AnyEntityID) {
    self.init(
      object: object, property: property,
      message: "is required and has no object: set it, or delete this one. It may have been taken out of the list on "
        + "the other side")
  }
}

/// The reason of an error of kind `invalidObject`.
private struct BrokenRules: Error {
  let problems: [ValidationProblem]
}

extension StoreError {
  /// All rules that the objects of a save break, in the order of the objects, where the error is of kind
  /// `invalidObject`. A required relationship without an object counts too.
  public var problems: [ValidationProblem] { (underlying as? BrokenRules)?.problems ?? [] }

  /// The most problems that a message names.
  private static let told = 10

  init(_ problems: [ValidationProblem]) {
    var text = problems.prefix(Self.told).map(\.description).joined(separator: "; ")
    if problems.count > Self.told { text += "; and \(problems.count - Self.told) more" }
    var known: Set<AnyEntityID> = []
    self.init(
      .invalidObject, "The changes break \(problems.count == 1 ? "a rule" : "\(problems.count) rules"): \(text).",
      objects: problems.map(\.object).filter { known.insert($0).inserted })
    underlying = BrokenRules(problems: problems)
  }
}
