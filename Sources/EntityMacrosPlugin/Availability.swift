import SwiftSyntax
import SwiftSyntaxMacros

extension WithAttributesSyntax {
  /// The attributes that say where the declaration is available, and whether it should be used.
  var availability: [AttributeSyntax] {
    attributes.compactMap { element in
      guard case .attribute(let attribute) = element, attribute.plainName == "available" else { return nil }
      return attribute
    }
  }
}

extension MacroExpansionContext {
  /// The availability of the declarations around this one, the outermost first.
  var enclosingAvailability: [AttributeSyntax] {
    lexicalContext.reversed().flatMap { $0.asProtocol((any WithAttributesSyntax).self)?.availability ?? [] }
  }
}

extension PersistedProperty {
  /// `@available(*, deprecated)` of the property. A declaration that names the property needs it too, else the compiler
  /// warns about the expansion.
  var deprecation: String { variable.availability.map { $0.trimmedDescription + " " }.joined() }
}

extension VariableDeclSyntax {
  /// The problem of a stored property that is not always available: it can't be a column.
  var availabilityProblem: Problem? {
    guard let attribute = availability.first(where: { !$0.onlyDeprecates }) else { return nil }
    return Problem(
      attribute,
      "the columns of a file are the same on every system: a property of an entity can be deprecated, no more",
      .remove(attribute, from: self))
  }

  /// Whether the declaration is unavailable. The compiler refuses such a property if it is stored.
  var isUnavailable: Bool { availability.contains { $0.words.contains("unavailable") } }
}

extension AttributeSyntax {
  /// Whether an `@available` only says that the declaration should no longer be used.
  fileprivate var onlyDeprecates: Bool {
    words.contains("deprecated") && words.isDisjoint(with: ["introduced", "obsoleted", "noasync"])
  }

  /// The words of an `@available`; `introduced` for `macOS 15`.
  fileprivate var words: Set<String> {
    guard case .availability(let arguments) = arguments else { return [] }
    let words = arguments.map { argument in
      // There is no `switch`: the toolchain's swift-syntax, with which scripts build the plugin, may have more cases.
      if case .token(let token) = argument.argument { return token.text }
      if case .availabilityLabeledArgument(let labeled) = argument.argument { return labeled.label.text }
      return "introduced"
    }
    return Set(words)
  }
}
