import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// An error at a node of the user's source, with a fix-it where there is one.
struct Problem {
  let node: Syntax
  let message: String
  let fixIts: [FixIt]

  init(_ node: some SyntaxProtocol, _ message: String, _ fixIts: FixIt...) {
    self.node = Syntax(node)
    self.message = message
    self.fixIts = fixIts
  }

  var diagnostic: Diagnostic { Diagnostic(node: node, message: ProblemMessage(message: message), fixIts: fixIts) }
}

private struct ProblemMessage: DiagnosticMessage, FixItMessage {
  let message: String
  var diagnosticID: MessageID { MessageID(domain: "EntityMacros", id: "misuse") }
  var fixItID: MessageID { MessageID(domain: "EntityMacros", id: "mend") }
  var severity: DiagnosticSeverity { .error }
}

extension FixIt {
  static func replace(_ message: String, _ old: some SyntaxProtocol, _ new: some SyntaxProtocol) -> FixIt {
    FixIt(
      message: ProblemMessage(message: message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  // Trivia of a generic declaration is set by name, and not with `with(_:_:)`: with the toolchain's own swift-syntax as
  // a library, the key path of `some WithAttributesSyntax` crashes the compiler (6.3.1, optimized).

  /// Adds an attribute before the attributes of a declaration.
  static func add(_ attribute: String, to declaration: some WithAttributesSyntax) -> FixIt {
    var new = declaration
    new.leadingTrivia = []
    let element = AttributeListSyntax.Element(AttributeSyntax("\(raw: attribute)").with(\.trailingTrivia, .space))
    new.attributes = [element] + new.attributes
    new.leadingTrivia = declaration.leadingTrivia
    return replace("add '\(attribute)'", declaration, new)
  }

  /// Removes `attribute` from the attributes of `declaration`.
  static func remove(_ attribute: AttributeSyntax, from declaration: some WithAttributesSyntax) -> FixIt {
    let kept = declaration.attributes.filter { $0.id != attribute.id }
    var new = declaration
    new.attributes = kept
    // Comments and indentation before the first attribute stay before the code that followed the attribute.
    if kept.first?.id != declaration.attributes.first?.id {
      new.leadingTrivia = declaration.leadingTrivia
    }
    return replace("remove '@\(attribute.plainName)'", declaration, new)
  }
}

extension AttributeSyntax {
  /// The attribute's name without its module.
  var plainName: String {
    attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.as(IdentifierTypeSyntax.self)?.name.text
      ?? attributeName.trimmedDescription
  }
}

extension WithAttributesSyntax {
  func attribute(_ name: String) -> AttributeSyntax? { attribute(where: { $0 == name }) }

  func attribute(where isWanted: (String) -> Bool) -> AttributeSyntax? {
    for case .attribute(let attribute) in attributes where isWanted(attribute.plainName) { return attribute }
    return nil
  }
}

extension WithModifiersSyntax {
  /// The modifier, unless it has a detail, as `private(set)` has.
  func modifier(_ keywords: Keyword...) -> DeclModifierSyntax? {
    modifiers.first { modifier in
      modifier.detail == nil && keywords.contains { modifier.name.tokenKind == .keyword($0) }
    }
  }
}
