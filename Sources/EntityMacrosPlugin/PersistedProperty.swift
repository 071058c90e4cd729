import SwiftSyntax

/// A stored property that is a column, in the form that the expansion needs.
struct PersistedProperty {
  let variable: VariableDeclSyntax
  let binding: PatternBindingSyntax
  /// The name in its written form, with its backticks.
  let name: String
  let type: TypeSyntax

  /// The name without backticks, which is the column's name.
  var plainName: String { name.filter { $0 != "`" } }
  var slot: String { "_$$\(plainName)" }

  /// The type in the form of a generic argument: `T!` becomes `T?`.
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

  /// The inverse that `@Relationship` names.
  var inverseArgument: ExprSyntax? { variable.attribute("Relationship")?.argument("inverse")?.expression }

  /// The property on the other side, if this one names it and may do so.
  var inverse: InverseKeyPath? {
    type.element == nil && !type.isOptional ? nil : inverseArgument.flatMap(InverseKeyPath.init)
  }

  /// The type of the property's column. An Optional that names an inverse has no column of its own.
  var columnType: (name: String, value: String) {
    if isLazy { return ("_EntityColumn", "_EntityLazyValue<\(typeName)>") }
    return inverse != nil && type.element == nil
      ? ("_EntityCounterpart", type.unwrapped.trimmedDescription) : ("_EntityColumn", typeName)
  }

  /// The call that passes `inverse: nil` to the descriptor.
  var independence: String {
    problem == nil && inverseArgument?.is(NilLiteralExprSyntax.self) == true ? ".withoutInverse()" : ""
  }

  /// The argument that gives a relationship to many an order of its own; `nil` for `false`.
  var orderedArgument: ExprSyntax? {
    guard let expression = variable.attribute("Relationship")?.argument("ordered")?.expression else { return nil }
    return expression.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind == .keyword(.false) ? nil : expression
  }

  /// The attribute by which `@Relationship` sorts.
  var sortArgument: ExprSyntax? { variable.attribute("Relationship")?.argument("sortedBy")?.expression }

  var sortKey: InverseKeyPath? { sortArgument.flatMap(InverseKeyPath.init) }

  /// The call that passes the order to the descriptor.
  var arranging: String {
    guard problem == nil else { return "" }
    if let ordered = orderedArgument {
      return ordered.is(BooleanLiteralExprSyntax.self) ? ".ordered()" : ".ordered(\(ordered.trimmedDescription))"
    }
    guard let key = sortKey else { return "" }
    let order = variable.attribute("Relationship")?.argument("order")?.expression
    return ".sorted(by: _InverseColumns<\(key.entity)>().\(key.property)"
      + "\(order.map { ", \($0.trimmedDescription)" } ?? ""))"
  }

  /// Whether a row may have a value that the type does not read. A change in place must not replace such a value by a
  /// changed default.
  ///
  /// Types of the standard library and of Foundation read all values. A type of the project with the same name is
  /// treated like them: a change in place sets it as a whole.
  var mayBeUnreadable: Bool { type.unwrapped.name.map { !Self.attributeTypes.contains($0) } ?? true }

  /// The initial value, if it has a meaning of its own. An Optional is `nil` anyway. An array is empty anyway, and may
  /// be a list of objects. A uid has no value until the server gives one.
  var defaultValue: ExprSyntax? {
    guard let value = binding.initializer?.value, !value.is(NilLiteralExprSyntax.self), !isUID, !isEmptyArray(value),
      variable.attribute("Relationship") == nil
    else { return nil }
    return value
  }

  /// Whether the property is an array, and `value` is empty: `[]`, `.init()`, `[Tag]()`.
  func isEmptyArray(_ value: ExprSyntax) -> Bool {
    guard type.element != nil else { return false }
    if let array = value.as(ArrayExprSyntax.self) { return array.elements.isEmpty }
    guard let call = value.as(FunctionCallExprSyntax.self), call.arguments.isEmpty, call.trailingClosure == nil else {
      return false
    }
    let called = call.calledExpression.trimmedDescription
    return [".init", type.trimmedDescription, type.trimmedDescription + ".init"].contains(called)
  }

  /// The call that passes an empty array to the descriptor. It is no argument, because the descriptor of a list of
  /// objects would not accept it.
  var emptyDefault: String {
    guard problem == nil, !isUID, variable.attribute("Relationship") == nil, let value = binding.initializer?.value,
      isEmptyArray(value)
    else { return "" }
    return ".emptyByDefault()"
  }

  /// The former names of the property.
  var formerNames: [ExprSyntax] { variable.attribute("Renamed")?.texts ?? [] }

  /// The call that passes the former names to the descriptor.
  var renaming: String { problem == nil ? formerNames.renaming : "" }

  /// The arguments of the property's descriptor after its column. Where a problem was found, they only say what is
  /// certain, so that the compiler reports nothing more.
  var descriptorArguments: String {
    let relationship = variable.attribute("Relationship")
    var arguments: [(label: String, value: String?)] = []
    if problem == nil {
      arguments.append(("key", key?.trimmedDescription))
      arguments.append(("uid", isUID ? "true" : nil))
      let index = variable.attribute("Indexed") == nil ? nil : ".plain"
      arguments.append(("index", variable.attribute("Unique") == nil ? index : ".unique"))
    }
    arguments.append(("default", defaultValue?.trimmedDescription))
    if problem == nil {
      arguments.append(
        ("transformer", variable.attribute("Transformed")?.argument("by")?.expression.trimmedDescription))
      arguments.append(("inverse", inverse == nil ? nil : slot))
      // It is always passed: no attribute has the argument, and a macro can't see whether the type is an entity.
      arguments.append(
        ("onDelete", relationship.map { $0.argument("onDelete")?.expression.trimmedDescription ?? ".nullify" }))
    }
    return arguments.compactMap { label, value in value.map { ", \(label): \($0)" } }.joined()
  }
}

/// The parts of the key path `\Post.author`.
struct InverseKeyPath: Hashable {
  let entity: String
  let property: String

  /// `nil` unless the expression is a literal that names one property of a type. A component after a type is the name
  /// of a nested type if it begins with a capital letter.
  init?(_ expression: ExprSyntax) {
    guard let keyPath = expression.as(KeyPathExprSyntax.self), let root = keyPath.root else { return nil }
    var names = keyPath.components.compactMap { component in
      component.component.as(KeyPathPropertyComponentSyntax.self)?.declName.trimmedDescription
    }
    guard names.count == keyPath.components.count, let property = names.popLast(), property != "self",
      names.allSatisfy({ $0.first?.isUppercase == true })
    else { return nil }
    entity = ([root.trimmedDescription] + names).joined(separator: ".")
    self.property = property
  }
}

extension [ExprSyntax] {
  fileprivate var renaming: String {
    isEmpty ? "" : ".renamed(from: \(map(\.trimmedDescription).joined(separator: ", ")))"
  }
}

extension AttributeSyntax {
  /// All arguments, whatever their labels.
  var texts: [ExprSyntax] { arguments?.as(LabeledExprListSyntax.self)?.map(\.expression) ?? [] }

  /// The argument with a label, or the first without one.
  func argument(_ label: String?) -> LabeledExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }
  }
}

extension WithModifiersSyntax {
  /// The access that the declaration names: `public `, `package `, or empty for less.
  var access: String {
    if modifier(.public, .open) != nil { return "public " }
    return modifier(.package) != nil ? "package " : ""
  }

  /// The access of the declaration in an extension, which may define the access of all members that name none.
  func access(in surrounding: Syntax?) -> String {
    let isNamed = modifier(.public, .open, .package, .internal, .fileprivate, .private) != nil
    return isNamed ? access : surrounding?.as(ExtensionDeclSyntax.self)?.access ?? ""
  }
}
