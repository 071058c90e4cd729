import SwiftParser
import SwiftSyntax

extension ClassDeclSyntax {
  /// The former names of the entity.
  var formerNames: [ExprSyntax] { attribute("Renamed")?.texts ?? [] }

  /// The names of the properties that it had.
  var removedNames: [ExprSyntax] { attribute("Entity")?.texts ?? [] }

  /// The name of the entity. It differs from the class's name where `entityName` is declared; `nil` where it can't be
  /// read.
  private var entityName: String? {
    for member in memberBlock.members {
      guard let variable = member.decl.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
        binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "entityName",
        variable.modifier(.static, .class) != nil
      else { continue }
      if let value = binding.initializer?.value { return value.literalText }
      guard case .getter(let body)? = binding.accessorBlock?.accessors, body.count == 1,
        let item = body.first?.item
      else { return nil }
      return (item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self))?.literalText
    }
    return name.plainText
  }

  /// Names of earlier versions that lead to two properties, or to a property that exists.
  var formerNameProblems: [Problem] {
    var problems = formerNames.compactMap { $0.formerNameProblem(of: entityName) }
    let renamings = attributes.compactMap { element -> AttributeSyntax? in
      guard case .attribute(let attribute) = element, attribute.plainName == "Renamed" else { return nil }
      return attribute
    }
    problems += renamings.dropFirst().map {
      Problem($0, "'\(name.text)' has an '@Renamed' already", .remove($0, from: self))
    }
    let properties = persistedProperties
    var heirs: [String: String] = [:]
    for property in properties where property.problem == nil {
      for expression in property.formerNames {
        guard let text = expression.literalText else { continue }
        if let other = heirs.updateValue(property.plainName, forKey: text) {
          let who =
            other == property.plainName ? "says so already" : "was '\(text)' already; its values can't go to two"
          problems.append(Problem(expression, "'\(other)' \(who)"))
        }
      }
    }
    for expression in removedNames {
      if let problem = expression.formerNameProblem(of: nil) { problems.append(problem) }
      guard let text = expression.literalText else { continue }
      if properties.contains(where: { $0.plainName == text }) {
        problems.append(Problem(expression, "'\(text)' is a property of the entity, so that it is not removed"))
      } else if let heir = heirs[text] {
        problems.append(Problem(expression, "'\(text)' is '\(heir)' now, so that it is not removed"))
      }
    }
    return problems
  }
}

extension ExprSyntax {
  /// The problem of an expression that is not a valid former name.
  ///
  /// - Parameter name: The present name; `nil` for none.
  func formerNameProblem(of name: String?) -> Problem? {
    guard let literal = self.as(StringLiteralExprSyntax.self) else { return nil }
    guard let text = literal.representedLiteralValue else {
      return Problem(self, "a former name is written in full: it can't have an interpolation")
    }
    if text.isEmpty { return Problem(self, "the former name is empty") }
    if text == name { return Problem(self, "'\(text)' is the name now; a former name is another one") }
    if text.contains(",") || text.hasPrefix("_") {
      return Problem(
        self, "'\(text)' was never a name: names hold no comma, and do not begin with '_'; each is an argument")
    }
    return nil
  }
}
