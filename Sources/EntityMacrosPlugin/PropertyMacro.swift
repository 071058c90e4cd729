public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// The accessors of a persisted property and the slot that keeps its value.
public struct PropertyMacro {}

extension PropertyMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let property = property(declaration) else { return [] }
    let arguments = "\\.\(property.name), Self.columns.\(property.name), \(property.slot)"
    let accessors: [AccessorDeclSyntax] = [
      // The parentheses keep the compiler from reporting more about a type that it did not find.
      "get { (_get(\(raw: arguments))) }",
      "set { _set(\(raw: arguments), newValue) { \(raw: property.slot) = $0 } }",
    ]
    guard property.mayBeUnreadable else { return accessors }
    return accessors + [
      """
      _modify {
        var lent = _EntityLentValue((_get(\(raw: arguments))))
        defer {
          if _takesChange(Self.columns.\(raw: property.name), lent.value) {
            _set(\(raw: arguments), lent.value) { \(raw: property.slot) = $0 }
          }
        }
        yield &lent.value
      }
      """
    ]
  }

  private static func property(_ declaration: some DeclSyntaxProtocol) -> PersistedProperty? {
    guard let variable = declaration.as(VariableDeclSyntax.self), case .persisted(let property) = EntityMember(variable)
    else { return nil }
    return property
  }
}

extension PropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let property = property(declaration) else { return [] }
    let slot: DeclSyntax =
      "\(raw: property.deprecation)private nonisolated var \(raw: property.slot) = _EntitySlot<\(raw: property.typeName)>()"
    return SourcePlaces(context).member(slot, for: property.binding.pattern)
  }
}
