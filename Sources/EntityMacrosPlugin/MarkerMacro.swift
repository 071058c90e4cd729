public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@UID`, `@Key` and the other markers. `@Entity` reads them, and they write nothing themselves.
public struct MarkerMacro: PeerMacro {
  static let names: Set = [
    "UID", "Key", "Relationship", "Transient", "Unique", "Indexed", "Transformed", "Renamed", "Derived", "Lazy",
  ]

  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    if let problem = problem(node, declaration, in: context) { context.diagnose(problem.diagnostic) }
    return []
  }

  /// A marker where no `@Entity` reads it. `@Entity` itself checks a marker on a property of an entity.
  private static func problem(
    _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) -> Problem? {
    if node.plainName == "Renamed", let entity = declaration.as(ClassDeclSyntax.self) {
      if entity.attribute("Entity") != nil { return nil }
      return Problem(
        node, "'@Renamed' has a meaning only on an '@Entity' class and in its body",
        .remove(entity.attribute("Renamed") ?? node, from: entity))
    }
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      return Problem(node, "'@\(node.plainName)' is for the properties of an entity")
    }
    let parent = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
    if parent?.attribute("Entity") != nil { return nil }
    return Problem(
      node, "'@\(node.plainName)' has a meaning only in the body of an '@Entity' class",
      .remove(variable.attribute(node.plainName) ?? node, from: variable))
  }
}
