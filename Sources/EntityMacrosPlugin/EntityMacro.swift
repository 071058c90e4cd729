public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// Writes an entity's columns, descriptors, slots and conformance. Only the member role reports problems, so that each
/// is reported once.
public struct EntityMacro {
  // The lines of the expansion match those of the source: no formatter may move them.
  public static var formatMode: FormatMode { .disabled }
}

extension EntityMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo: [TypeSyntax],
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    // The compiler itself refuses a macro with a conformance on an extension.
    if declaration.is(ExtensionDeclSyntax.self) { return [] }
    // It also refuses a macro with an extension on a local type.
    if context.isLocal { return declaration.placeholderInitializer }
    if let problem = declaration.classProblem(in: context) {
      context.diagnose(problem.diagnostic)
      return declaration.placeholderInitializer
    }
    guard let entity = declaration.as(ClassDeclSyntax.self) else { return [] }
    for problem in entity.problems { context.diagnose(problem.diagnostic) }
    return EntityExpansion(entity, in: context).members + entity.codablePlaceholders
  }
}

extension EntityMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) -> [AttributeSyntax] {
    guard let entity = declaration.as(ClassDeclSyntax.self), !context.isLocal,
      entity.classProblem(in: context) == nil, let variable = member.as(VariableDeclSyntax.self)
    else { return [] }
    if TransientProperty(variable) != nil { return ["@_EntityTransient"] }
    guard case .persisted(let property) = EntityMember(variable), !property.isDerived,
      // Properties within `#if` are refused.
      entity.persistedProperties.contains(where: { $0.name == property.name })
    else { return [] }
    return ["@_EntityProperty"]
  }
}

extension EntityMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard !protocols.isEmpty, let entity = declaration.as(ClassDeclSyntax.self),
      declaration.classProblem(in: context) == nil
    else { return [] }
    // A type that is not available on every system can't be extended on every system, and neither can a type within it.
    let availability = context.enclosingAvailability + entity.availability
    let prefix = availability.map { $0.trimmedDescription + "\n" }.joined()
    // The protocols are those to which the class does not already conform.
    return try protocols.compactMap { named in
      switch named.name {
      case "ManagedEntity":
        return try ExtensionDeclSyntax("\(raw: prefix)nonisolated extension \(type.trimmed): ManagedEntity {}")
      case "Identifiable" where !entity.names("ID"):
        let access = entity.access(in: context.lexicalContext.first)
        return try ExtensionDeclSyntax(
          """
          \(raw: prefix)nonisolated extension \(type.trimmed): Identifiable {
            \(raw: access)typealias ID = _EntityObjectID
          }
          """)
      default: return nil
      }
    }
  }
}

extension ClassDeclSyntax {
  /// Whether the class uses the name in its code: it may mean a type of the class, or a type of the project. A type of
  /// that name in an extension would hide the latter.
  fileprivate func names(_ name: String) -> Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .identifier(name) }
  }
}
