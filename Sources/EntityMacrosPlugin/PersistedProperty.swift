import SwiftSyntax

/// A stored property that is a column, as the expansion needs it.
struct PersistedProperty {
  let variable: VariableDeclSyntax
  let binding: PatternBindingSyntax
  /// As it is written, with its backticks.
  let name: String
  let type: TypeSyntax

  /// The name without backticks: that of the column.
  var plainName: String { name.filter { $0 != "`" } }
  var slot: String { "_$$\(plainName)" }

  /// The type as a generic argument takes it: `T!` is `T?` there.
  var typeName: String {
    if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return unwrapped.wrappedType.trimmedDescription + "?"
    }
    return type.trimmedDescription
  }

  /// The access of the property's column: `public `, `package `, or empty.
  var access: String { variable.access }

  var isUID: Bool { variable.attribute("UID") != nil }

  var key: ExprSyntax? { variable.attribute("Key")?.argument(nil)?.expression }

  /// The property on the other side, where this one names it and may.
  var inverse: InverseKeyPath? {
    guard type.element != nil, let argument = variable.attribute("Relationship")?.argument("inverse") else { return nil }
    return InverseKeyPath(argument.expression)
  }

  /// The initial value, where it says more than that there is none: an Optional is `nil` and a list of objects empty anyway,
  /// and a uid is none until the server has given one.
  var defaultValue: ExprSyntax? {
    guard let value = binding.initializer?.value, !value.is(NilLiteralExprSyntax.self), !isUID,
      variable.attribute("Relationship") == nil
    else { return nil }
    return value
  }

  /// The arguments of the property's descriptor after its column.
  var descriptorArguments: String {
    var arguments: [String] = []
    if let key { arguments.append("key: \(key.trimmedDescription)") }
    if isUID { arguments.append("uid: true") }
    if variable.attribute("Unique") != nil { arguments.append("unique: true") }
    if variable.attribute("Indexed") != nil { arguments.append("indexed: true") }
    if let value = defaultValue { arguments.append("default: \(value.trimmedDescription)") }
    if let transformer = variable.attribute("Transformed")?.argument("by") {
      arguments.append("transformer: \(transformer.expression.trimmedDescription)")
    }
    if let relationship = variable.attribute("Relationship") {
      if inverse != nil { arguments.append("inverse: \(slot)") }
      if let rule = relationship.argument("onDelete") {
        arguments.append("onDelete: \(rule.expression.trimmedDescription)")
      }
    }
    return arguments.map { ", " + $0 }.joined()
  }
}

/// The key path `\Post.author` in its parts.
struct InverseKeyPath {
  let entity: String
  let property: String

  /// `nil` unless it is a literal that names one property of a type.
  init?(_ expression: ExprSyntax) {
    guard let keyPath = expression.as(KeyPathExprSyntax.self), let root = keyPath.root, keyPath.components.count == 1,
      let component = keyPath.components.first?.component.as(KeyPathPropertyComponentSyntax.self)
    else { return nil }
    entity = root.trimmedDescription
    property = component.declName.trimmedDescription
  }
}

extension AttributeSyntax {
  /// The argument with a label, or the first without one.
  func argument(_ label: String?) -> LabeledExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }
  }
}

extension WithModifiersSyntax {
  var access: String {
    if modifier(.public, .open) != nil { return "public " }
    return modifier(.package) != nil ? "package " : ""
  }
}
