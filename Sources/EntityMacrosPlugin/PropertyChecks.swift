import SwiftParser
import SwiftSyntax

extension PersistedProperty {
  /// The problem of the property by itself.
  var problem: Problem? {
    nameProblem ?? repeatedMarkerProblem ?? derivationProblem ?? keyProblem ?? lazyProblem ?? uidProblem
      ?? relationshipProblem ?? defaultProblem
      ?? formerNames.lazy.compactMap { $0.formerNameProblem(of: plainName) }.first
  }

  /// The members of every entity.
  private static let reserved: Set = [
    "entityID", "entityContext", "isDeleted", "forwardedTo", "isInserted", "hasChanges", "isPlaceholder",
    "isDetached",
  ]

  private var nameProblem: Problem? {
    if Self.reserved.contains(plainName) {
      return Problem(
        binding.pattern,
        "each entity has a member '\(plainName)'; choose another name, and say '@Key' for the one in responses")
    }
    if plainName.hasPrefix("_") || plainName.lowercased().hasPrefix("sqlite_") {
      return Problem(
        binding.pattern,
        "the column '\(plainName)' would be one of SQLite's or the store's own; "
          + "choose a name without '_' or 'sqlite_' at its start")
    }
    return nil
  }

  /// The first marker would count, which nobody should have to know.
  private var repeatedMarkerProblem: Problem? {
    var names: Set<String> = []
    for case .attribute(let attribute) in variable.attributes where MarkerMacro.names.contains(attribute.plainName) {
      if names.insert(attribute.plainName).inserted { continue }
      return Problem(
        attribute, "'\(plainName)' has an '@\(attribute.plainName)' already", .remove(attribute, from: variable))
    }
    return nil
  }

  private var keyProblem: Problem? {
    guard let key, let literal = key.as(StringLiteralExprSyntax.self) else { return nil }
    guard let text = literal.representedLiteralValue else {
      return Problem(key, "a key is written in full: it can't have an interpolation")
    }
    if text.isEmpty { return Problem(key, "the key is empty; without '@Key' it is the property's name") }
    if text.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty) {
      return Problem(key, "\"\(text)\" has an empty part: a key path is keys with a dot between them")
    }
    return nil
  }

  private var uidProblem: Problem? {
    guard let attribute = variable.attribute("UID") else { return nil }
    if let relationship = variable.attribute("Relationship") {
      return Problem(
        attribute, "a relationship can't be the uid: that is a number, a text or a UUID",
        .remove(relationship, from: variable))
    }
    if type.unwrapped.isCollection {
      return Problem(type, "a uid is one value: a number, a text or a UUID", .remove(attribute, from: variable))
    }
    if let initializer = binding.initializer, !initializer.value.is(NilLiteralExprSyntax.self) {
      return Problem(
        initializer.value, "a uid has no default: an object has none until the server gives it one",
        .replace("remove the default", binding, binding.with(\.initializer, nil).trailingTrimmed))
    }
    return nil
  }

  private var relationshipProblem: Problem? {
    guard let attribute = variable.attribute("Relationship") else { return nil }
    if let label = attribute.argument("deleteRule")?.label {
      return Problem(
        label, "SwiftData's 'deleteRule' is 'onDelete' here, after the inverse",
        .replace("replace 'deleteRule' with 'onDelete'", attribute, attribute.sayingOnDelete))
    }
    if let rule = attribute.argument(nil) {
      return Problem(
        rule.expression, "what a deletion does is 'onDelete', after the inverse",
        .replace("add 'onDelete:'", attribute, attribute.sayingOnDelete))
    }
    // The name of a type proves nothing: a project may have an entity `Date`. The descriptor refuses a type that is no
    // entity.
    if (type.unwrapped.element ?? type).unwrapped.isCollection {
      return Problem(
        attribute, "'\(plainName)' is an attribute: '\(type.trimmedDescription)' is no entity",
        .remove(attribute, from: variable))
    }
    for name in ["Unique", "Indexed", "Transformed"] {
      guard let other = variable.attribute(name) else { continue }
      return Problem(
        other, "'@\(name)' is for attributes, and '\(plainName)' is a relationship", .remove(other, from: variable))
    }
    if let value = binding.initializer?.value, !value.is(NilLiteralExprSyntax.self), !isEmptyArray(value) {
      return Problem(value, "a relationship has no default: link objects when they are made")
    }
    return inverseProblem(attribute) ?? orderProblem(attribute)
  }

  private func inverseProblem(_ attribute: AttributeSyntax) -> Problem? {
    guard let inverse = inverseArgument else { return nil }
    guard inverse.is(NilLiteralExprSyntax.self) || InverseKeyPath(inverse) != nil else {
      return Problem(
        inverse, "an inverse is a property of the other entity, written as '\\Other.property'")
    }
    guard type.element != nil || type.isOptional && !inverse.is(NilLiteralExprSyntax.self) else {
      return Problem(
        inverse,
        "the inverse is named on one side only: on that of an array, or of an Optional whose inverse is no array",
        .remove(attribute, from: variable))
    }
    return nil
  }

  private func orderProblem(_ attribute: AttributeSyntax) -> Problem? {
    guard let argument = orderedArgument ?? sortArgument else { return nil }
    guard type.element != nil else {
      return Problem(
        argument, "an order is one of several objects, and '\(plainName)' is a relationship to one",
        .remove(attribute, from: variable))
    }
    guard let sortArgument else { return nil }
    guard orderedArgument == nil else {
      return Problem(
        sortArgument,
        "a relationship has an order of its own or is sorted by an attribute; remove 'ordered' or 'sortedBy'"
      )
    }
    guard sortKey != nil else {
      return Problem(sortArgument, "a relationship is sorted by an attribute, written as '\\Other.property'")
    }
    return nil
  }

  /// A default is kept in the schema and is the same for all objects. A default that differs from call to call is a
  /// mistake.
  private var defaultProblem: Problem? {
    guard let value = defaultValue, value.isMadeAnew(as: type.unwrapped.name) else { return nil }
    return Problem(
      value,
      "a default is one value for all objects, and '\(value.trimmedDescription)' is another each time; "
        + "set it where objects are inserted")
  }

  /// Types that are mostly attributes, by name: a project may have other types with these names.
  static let attributeTypes: Set = [
    "String", "Substring", "Character", "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
    "UInt32", "UInt64", "Float", "Double", "Decimal", "Data", "Date", "UUID", "URL",
  ]
}

extension AttributeSyntax {
  /// `@Relationship(inverse:onDelete:)` in place of `@Relationship(deleteRule:inverse:)`, and of a rule without a
  /// label.
  fileprivate var sayingOnDelete: AttributeSyntax {
    var arguments: [LabeledExprSyntax] = []
    if let inverse = argument("inverse") { arguments.append(inverse) }
    if var rule = argument("deleteRule") ?? argument(nil) {
      rule.label = .identifier("onDelete")
      rule.colon = .colonToken(trailingTrivia: .space)
      arguments.append(rule)
    }
    for index in arguments.indices {
      let isLast = index == arguments.count - 1
      arguments[index].trailingComma = isLast ? nil : .commaToken(trailingTrivia: .space)
      arguments[index].trailingTrivia = isLast ? [] : .space
      arguments[index].leadingTrivia = []
    }
    return with(\.arguments, .argumentList(LabeledExprListSyntax(arguments)))
  }
}

extension TypeSyntax {
  /// The type of the elements of an array; `nil` for other types.
  var element: TypeSyntax? {
    if let array = self.as(ArrayTypeSyntax.self) { return array.element }
    return name == "Array" ? genericArgument : nil
  }

  /// Whether it is an array, a set or a dictionary. A `Set` without an element is a type of the project.
  var isCollection: Bool {
    element != nil || self.is(DictionaryTypeSyntax.self)
      || genericArgument != nil && ["Set", "Dictionary"].contains(name)
  }
}

extension SyntaxProtocol {
  fileprivate var trailingTrimmed: Self {
    // Set by name; see `FixIt.add`.
    var trimmed = self
    trimmed.trailingTrivia = []
    return trimmed
  }
}
