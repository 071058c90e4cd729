public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// A `@Transient` property that is observed.
///
/// These are left as they are written: a constant, a lazy, weak or unowned variable, a variable with property
/// observers, and a variable with another attribute, such as a global actor or `@ObservationIgnored`. They can't have
/// accessors, or must not be observed.
struct TransientProperty {
  let variable: VariableDeclSyntax
  let binding: PatternBindingSyntax
  /// The name in its written form, with its backticks.
  let name: String

  init?(_ variable: VariableDeclSyntax) {
    guard variable.attribute("Transient") != nil, variable.bindingSpecifier.tokenKind == .keyword(.var),
      variable.bindings.count == 1, let binding = variable.bindings.first, binding.accessorBlock == nil,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
      variable.modifiers.allSatisfy(Self.isPlain), variable.attributes.allSatisfy(Self.isPlain),
      // Without an initial value, the property is already an error.
      binding.initializer != nil || binding.typeAnnotation?.type.startsAsNil == true
    else { return nil }
    // Another variable can't have the same opaque type.
    if let type = binding.typeAnnotation?.type.as(SomeOrAnyTypeSyntax.self),
      type.someOrAnySpecifier.tokenKind == .keyword(.some)
    {
      return nil
    }
    self.variable = variable
    self.binding = binding
    name = pattern.identifier.text
  }

  private var slot: String { "_$$\(name.filter { $0 != "`" })" }

  var accessors: [AccessorDeclSyntax] {
    [
      "get { _getTransient(\\.\(raw: name), \(raw: slot)) }",
      "set { _setTransient(\\.\(raw: name), \(raw: slot), newValue) { \(raw: slot) = $0 } }",
      // In place: a getter and a setter would copy a dictionary that is changed.
      """
      _modify {
        _willModifyTransient(\\.\(raw: name))
        defer { _didModifyTransient(\\.\(raw: name)) }
        yield &\(raw: slot)
      }
      """,
    ]
  }

  var stored: DeclSyntax {
    let deprecation = variable.availability.map { $0.trimmedDescription + " " }.joined()
    let type = binding.typeAnnotation?.trimmedDescription ?? ""
    let value = binding.initializer.map { " " + $0.trimmedDescription } ?? ""
    return "\(raw: deprecation)private nonisolated var \(raw: slot)\(raw: type)\(raw: value)"
  }

  private static func isPlain(_ modifier: DeclModifierSyntax) -> Bool {
    switch modifier.name.tokenKind {
    case .keyword(.public), .keyword(.package), .keyword(.internal), .keyword(.private), .keyword(.fileprivate): true
    case .keyword(.nonisolated): modifier.detail == nil
    default: false
    }
  }

  private static func isPlain(_ attribute: AttributeListSyntax.Element) -> Bool {
    guard case .attribute(let attribute) = attribute else { return false }
    return ["Transient", "available", "_EntityTransient"].contains(attribute.plainName)
  }
}

/// The accessors of a transient property and the variable that keeps its value.
public struct TransientMacro {}

extension TransientMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    declaration.as(VariableDeclSyntax.self).flatMap(TransientProperty.init)?.accessors ?? []
  }
}

extension TransientMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self).flatMap(TransientProperty.init) else { return [] }
    return SourcePlaces(context).member(property.stored, for: property.binding.pattern)
  }
}
