import SwiftParser
import SwiftSyntax

extension ClassDeclSyntax {
  /// The problems of a class that is still expanded as an entity, in the order of the source.
  var problems: [Problem] {
    [finalProblem, codableProblem].compactMap(\.self) + memberBlock.members.flatMap { problems(of: $0.decl) }
      + combinedProblems + derivedProblems + formerNameProblems + [missingUIDProblem, countProblem].compactMap(\.self)
  }

  /// Equal to `ColumnMask.capacity`, which a store checks when it is opened.
  private static let mostProperties = 128

  private var countProblem: Problem? {
    let properties = persistedProperties
    guard properties.count > Self.mostProperties else { return nil }
    return Problem(
      name,
      "an entity has at most \(Self.mostProperties) properties, and '\(name.text)' has \(properties.count): move some into "
        + "an entity of their own, or into a Codable struct")
  }

  private func problems(of declaration: DeclSyntax) -> [Problem] {
    switch declaration.as(DeclSyntaxEnum.self) {
    case .variableDecl(let variable): return problems(of: variable)
    case .initializerDecl(let initializer): return problem(of: initializer).map { [$0] } ?? []
    case .ifConfigDecl(let conditional): return conditional.variables.compactMap(conditionalProblem)
    case .structDecl(let type) where type.name.text == "Columns": return [Self.reserved(type.name)]
    case .classDecl(let type) where type.name.text == "Columns": return [Self.reserved(type.name)]
    case .enumDecl(let type) where type.name.text == "Columns": return [Self.reserved(type.name)]
    case .typeAliasDecl(let type) where type.name.text == "Columns": return [Self.reserved(type.name)]
    default: return []
    }
  }

  /// The macro writes the designated initializer, and the protocol has `init()`.
  private func problem(of initializer: InitializerDeclSyntax) -> Problem? {
    guard initializer.modifier(.convenience) != nil else {
      var mended = initializer.with(\.leadingTrivia, [])
      mended.modifiers.append(DeclModifierSyntax(name: .keyword(.convenience, trailingTrivia: .space)))
      mended.initKeyword = initializer.initKeyword.with(\.leadingTrivia, [])
      return Problem(
        initializer.initKeyword, "an initializer of an entity is a convenience one, which calls 'self.init()' first",
        .replace("add 'convenience'", initializer, mended.with(\.leadingTrivia, initializer.leadingTrivia)))
    }
    guard initializer.signature.parameterClause.parameters.allSatisfy({ $0.defaultValue != nil }) else { return nil }
    return Problem(
      initializer.initKeyword,
      "an initializer that takes no argument hides the 'init()' that every entity has, and would call itself: "
        + "give it a parameter without a default")
  }

  private func problems(of variable: VariableDeclSyntax) -> [Problem] {
    switch EntityMember(variable) {
    case .leftAlone: return leftAloneProblem(variable).map { [$0] } ?? []
    case .refused(let problem): return problem.map { [$0] } ?? []
    case .persisted(let property): return property.problem.map { [$0] } ?? []
    }
  }

  /// A plain property must not have a marker of columns, and must not need a value from the initialiser that the macro
  /// writes.
  private func leftAloneProblem(_ variable: VariableDeclSyntax) -> Problem? {
    let isTransient = variable.attribute("Transient") != nil
    let isStored = !variable.isComputed && variable.modifier(.static, .class) == nil
    for case .attribute(let attribute) in variable.attributes where MarkerMacro.names.contains(attribute.plainName) {
      if isTransient, isStored, attribute.plainName == "Transient" { continue }
      let why =
        switch (isStored, isTransient) {
        case (false, _) where variable.modifier(.private, .fileprivate) != nil && attribute.plainName == "Derived":
          "is private, so that it is no column"
        case (false, _): "is no stored property of the object"
        case (true, true): "is '@Transient', so that it is no column"
        case (true, false): "is private, so that it is no column"
        }
      return Problem(
        attribute, "'@\(attribute.plainName)' has no meaning here: '\(variable.firstName)' \(why)",
        .remove(attribute, from: variable))
    }
    guard isStored else {
      if variable.modifier(.static, .class) != nil, ["columns", "properties"].contains(variable.firstName),
        let pattern = variable.bindings.first?.pattern
      {
        return Self.reserved(pattern)
      }
      return nil
    }
    guard variable.modifier(.lazy) == nil,
      let binding = variable.bindings.first(where: { binding in
        let isNil = binding.typeAnnotation?.type.startsAsNil == true && variable.bindingSpecifier.text == "var"
        return binding.initializer == nil && !isNil
      })
    else { return nil }
    var mended = binding.with(\.trailingTrivia, [])
    mended.initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: EditorPlaceholderExprSyntax(placeholder: .identifier("<#value#>"), trailingTrivia: binding.trailingTrivia))
    return Problem(
      binding.pattern,
      "'\(binding.pattern.trimmedDescription)' needs an initial value: it is \(isTransient ? "transient" : "private"), "
        + "so that no row has one for it", .replace("add an initial value", binding, mended))
  }

  private func conditionalProblem(_ variable: VariableDeclSyntax) -> Problem? {
    if case .leftAlone = EntityMember(variable) { return leftAloneProblem(variable) }
    return Problem(
      variable.bindingSpecifier,
      "a property of an entity can't be in '#if': the columns of a file do not change with the build; "
        + "move it out, or mark it '@Transient'")
  }

  private static func reserved(_ node: some SyntaxProtocol) -> Problem {
    Problem(node, "'\(node.trimmedDescription)' is what '@Entity' writes itself; choose another name")
  }

  /// Problems that appear only in several properties together.
  private var combinedProblems: [Problem] {
    var problems: [Problem] = []
    var keys: [String: PersistedProperty] = [:]
    var names: [String: PersistedProperty] = [:]
    var inverses: [InverseKeyPath: PersistedProperty] = [:]
    for property in persistedProperties {
      if let key = property.key, let text = key.literalText {
        // Objects of two entities may be under one key: a discriminator tells them apart.
        if let other = keys.updateValue(property, forKey: text), !(property.isMarkedLink && other.isMarkedLink) {
          problems.append(Problem(key, "'\(other.plainName)' has the key \"\(text)\" already"))
        }
      }
      if let inverse = property.inverse, let other = inverses.updateValue(property, forKey: inverse),
        let argument = property.inverseArgument
      {
        problems.append(
          Problem(
            argument,
            "'\(other.plainName)' has this inverse already; two lists can't be filled from one property"))
      }
      // SQLite compares names of columns without regard to case.
      if let other = names.updateValue(property, forKey: property.plainName.lowercased()),
        other.plainName != property.plainName
      {
        problems.append(
          Problem(
            property.binding.pattern,
            "'\(property.plainName)' and '\(other.plainName)' are one column to SQLite, which ignores case; rename one")
        )
      }
    }
    return problems
  }

  /// Without a uid, each response makes new rows, which is unexpected in an entity with an 'id'.
  private var missingUIDProblem: Problem? {
    let properties = persistedProperties.filter { !$0.isDerived }
    guard !properties.contains(where: \.isUID),
      let id = properties.first(where: { ["id", "uid"].contains($0.plainName) })
    else { return nil }
    return Problem(
      id.binding.pattern,
      "mark '\(id.plainName)' '@UID', so that a response finds the object's row; "
        + "call it otherwise where it does not identify the object",
      .add("@UID", to: id.variable))
  }
}

extension IfConfigDeclSyntax {
  fileprivate var variables: [VariableDeclSyntax] {
    clauses.flatMap { clause -> [VariableDeclSyntax] in
      guard case .decls(let members) = clause.elements else { return [] }
      return members.flatMap { member -> [VariableDeclSyntax] in
        if let variable = member.decl.as(VariableDeclSyntax.self) { return [variable] }
        return member.decl.as(IfConfigDeclSyntax.self)?.variables ?? []
      }
    }
  }
}

extension PersistedProperty {
  fileprivate var isMarkedLink: Bool { variable.attribute("Relationship") != nil }
}

extension VariableDeclSyntax {
  fileprivate var firstName: String { bindings.first?.pattern.trimmedDescription ?? "" }
}

extension ExprSyntax {
  /// The text of a string literal without interpolation.
  var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
