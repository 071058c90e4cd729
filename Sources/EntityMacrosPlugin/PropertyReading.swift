import SwiftSyntax

/// The kind of a variable in the body of an entity.
enum EntityMember {
  /// No column: the variable is computed, static, private or transient.
  case leftAlone
  /// A column. It may still have problems of its own.
  case persisted(PersistedProperty)
  /// A stored property that can't be a column; `nil` where the compiler itself reports that.
  case refused(Problem?)
}

extension EntityMember {
  init(_ variable: VariableDeclSyntax) {
    let isDerived = variable.attribute("Derived") != nil
    if variable.modifier(.static, .class) != nil || variable.isComputed && !isDerived
      || variable.attribute("Transient") != nil || variable.modifier(.private, .fileprivate) != nil
    {
      self = .leftAlone
    } else if variable.isUnavailable {
      self = .refused(nil)
    } else if let problem = Self.refusal(of: variable) {
      self = .refused(problem)
    } else {
      self = Self.property(variable)
    }
  }

  private static func property(_ variable: VariableDeclSyntax) -> EntityMember {
    guard let binding = variable.bindings.first, let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
      return .refused(
        Problem(
          variable.bindings.first?.pattern ?? PatternSyntax(MissingPatternSyntax()),
          "a property of an entity has one name and one type; declare each on its own"))
    }
    let name = pattern.identifier.text
    if name.contains(where: { !$0.isLetter && !$0.isNumber && !"_`".contains($0) }) {
      return .refused(
        Problem(
          pattern, "a property of an entity has a name of letters, digits and '_'; say '@Key' for the one in responses")
      )
    }
    if let problem = keywordProblem(pattern) { return .refused(problem) }
    guard let type = binding.typeAnnotation?.type else {
      return .refused(missingType(pattern, binding, in: variable))
    }
    if type.tokens(viewMode: .sourceAccurate).contains(where: { $0.tokenKind == .keyword(.Self) }) {
      return .refused(nil)
    }
    if let problem = unsupported(type) { return .refused(problem) }
    if variable.attribute("Relationship") != nil, let problem = unusualList(type) { return .refused(problem) }
    return .persisted(
      PersistedProperty(variable: variable, binding: binding, name: name, type: type))
  }

  /// Names that mean something else after a dot, or in a type, though their declarations have backticks.
  private static func keywordProblem(_ pattern: IdentifierPatternSyntax) -> Problem? {
    let meaning: String
    switch pattern.identifier.text {
    case "`self`": meaning = "'self' is the object itself"
    case "`Self`": meaning = "'Self' is the entity"
    case "`Type`": meaning = "'Type' after a dot is a metatype"
    case "`Protocol`": meaning = "'Protocol' after a dot is a metatype"
    default: return nil
    }
    return Problem(pattern, "\(meaning); choose another name, and say '@Key' for the one in responses")
  }

  /// The problem of a stored property that can't be a column, apart from its type.
  private static func refusal(of variable: VariableDeclSyntax) -> Problem? {
    if variable.bindings.count > 1 {
      return Problem(
        variable.bindings, "declare each property of an entity in a line of its own",
        .replace("declare them one by one", variable, variable.oneByOne))
    }
    if let lazy = variable.modifier(.lazy) {
      return Problem(lazy, "a lazy property can't be stored in an entity; make it computed, or mark it '@Transient'")
    }
    if let weak = variable.modifiers.first(where: { [.keyword(.weak), .keyword(.unowned)].contains($0.name.tokenKind) })
    {
      var mended = variable
      mended.modifiers = variable.modifiers.filter { $0.id != weak.id }
      return Problem(
        weak, "a relationship keeps no object alive, so that '\(weak.name.text)' has no meaning in an entity",
        .replace("remove '\(weak.name.text)'", variable, mended.with(\.leadingTrivia, variable.leadingTrivia)))
    }
    if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      var mended = variable
      mended.bindingSpecifier = .keyword(.var, trailingTrivia: variable.bindingSpecifier.trailingTrivia)
        .with(\.leadingTrivia, variable.bindingSpecifier.leadingTrivia)
      return Problem(
        variable.bindingSpecifier,
        "a property of an entity is a 'var': its value comes from a row; mark a constant '@Transient'",
        .replace("replace 'let' with 'var'", variable, mended))
    }
    if let problem = variable.availabilityProblem ?? variable.attributeProblem { return problem }
    if let observer = variable.observer {
      return Problem(
        observer.accessorSpecifier,
        "a property of an entity has no '\(observer.accessorSpecifier.text)': merges and responses change it too; "
          + "use withObservationTracking, or mark it '@Transient'")
    }
    return nil
  }

  private static func missingType(
    _ pattern: IdentifierPatternSyntax, _ binding: PatternBindingSyntax, in variable: VariableDeclSyntax
  ) -> Problem {
    let type = binding.initializer?.value.literalType
    var typed = binding
    typed.pattern = PatternSyntax(pattern.with(\.trailingTrivia, []))
    typed.typeAnnotation = TypeAnnotationSyntax(
      colon: .colonToken(trailingTrivia: .space),
      type: IdentifierTypeSyntax(name: .identifier(type ?? "<#Type#>"), trailingTrivia: pattern.trailingTrivia))
    return Problem(
      pattern, "'\(pattern.identifier.text)' needs a written type: a macro does not see the one that is inferred",
      .replace("add ': \(type ?? "Type")'", binding, typed))
  }

  /// A relationship to many that is no plain array, but a set, an Optional, or an array of Optionals.
  private static func unusualList(_ type: TypeSyntax) -> Problem? {
    let list = type.unwrapped
    guard let member = list.element ?? (list.name == "Set" ? list.genericArgument : nil),
      let name = member.unwrapped.name, !PersistedProperty.attributeTypes.contains(name), !member.unwrapped.isCollection
    else { return nil }
    if type.element != nil, member.unwrapped.id == member.id { return nil }
    var array = TypeSyntax(ArrayTypeSyntax(element: member.unwrapped.trimmed))
    array.leadingTrivia = type.leadingTrivia
    array.trailingTrivia = type.trailingTrivia
    return Problem(
      type, "a relationship to many is an array, which is empty where there are none",
      .replace("make it '\(array.trimmedDescription)'", type, array))
  }

  /// A type that no attribute or relationship can have, as far as the syntax shows it.
  private static func unsupported(_ type: TypeSyntax) -> Problem? {
    let what: String
    switch type.unwrapped.as(TypeSyntaxEnum.self) {
    case .tupleType: what = "a tuple"
    case .functionType: what = "a function"
    case .metatypeType: what = "a type"
    case .someOrAnyType(let type): what = "'\(type.trimmedDescription)'"
    case .compositionType, .classRestrictionType: what = "a protocol"
    case .identifierType(let type) where ["Any", "AnyObject"].contains(type.name.text): what = "'\(type.name.text)'"
    default: return nil
    }
    return Problem(
      type, "\(what) can't be stored in an entity; use a type that is Codable, or mark the property '@Transient'")
  }
}

extension VariableDeclSyntax {
  /// Attributes that a column can't have. A macro does not see the declaration of an attribute, so these are known by
  /// name. The compiler reports other property wrappers.
  fileprivate var attributeProblem: Problem? {
    if let actor = attribute(where: { $0.hasSuffix("Actor") }) {
      return Problem(
        actor, "a property of an entity belongs to no actor: each object is isolated as its context is",
        .remove(actor, from: self))
    }
    if let ignored = attribute("ObservationIgnored") {
      return Problem(
        ignored, "a column is observed; what is not observed is no column, and '@Transient'",
        .remove(ignored, from: self))
    }
    if let wrapper = attribute(where: Self.wrappers.contains) {
      return Problem(
        wrapper, "a column has no property wrapper: an entity is observable without one",
        .remove(wrapper, from: self))
    }
    return nil
  }

  private static let wrappers: Set = ["Published", "State", "AppStorage", "SceneStorage"]

  private var accessors: AccessorDeclListSyntax? {
    guard case .accessors(let list) = bindings.first?.accessorBlock?.accessors else { return nil }
    return list
  }

  var isComputed: Bool {
    guard let block = bindings.first?.accessorBlock else { return false }
    guard case .accessors(let list) = block.accessors else { return true }
    return list.contains { !$0.isObserver }
  }

  var observer: AccessorDeclSyntax? { accessors?.first(where: \.isObserver) }

  /// The variables of a combined declaration, each on its own line with the attributes and modifiers of all.
  fileprivate var oneByOne: CodeBlockItemListSyntax {
    let indentation = Trivia(pieces: leadingTrivia.reversed().prefix { !$0.isNewline }.reversed())
    // In `var a, b: Int`, the variables without a type have the type of the next one.
    var type: TypeAnnotationSyntax?
    var items: [CodeBlockItemSyntax] = []
    for binding in bindings.reversed() {
      type = binding.typeAnnotation ?? (binding.initializer == nil ? type : nil)
      var single = self
      var own = binding.with(\.trailingComma, nil)
      if own.typeAnnotation == nil, let type {
        own.pattern = own.pattern.with(\.trailingTrivia, [])
        own.typeAnnotation = type
      }
      single.bindings = [own.with(\.leadingTrivia, []).with(\.trailingTrivia, [])]
      let isFirst = binding.id == bindings.first?.id
      single.leadingTrivia = isFirst ? leadingTrivia : .newline + indentation
      items.insert(CodeBlockItemSyntax(item: .decl(DeclSyntax(single))), at: 0)
    }
    return CodeBlockItemListSyntax(items)
  }
}

extension AccessorDeclSyntax {
  var isObserver: Bool {
    [.keyword(.willSet), .keyword(.didSet)].contains(accessorSpecifier.tokenKind)
  }
}

extension TypeSyntax {
  /// The type inside Optionals, parentheses and attributes.
  var unwrapped: TypeSyntax {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.unwrapped }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType.unwrapped }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.unwrapped }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
      only.firstName == nil
    {
      return only.type.unwrapped
    }
    if name == "Optional", let argument = genericArgument { return argument.unwrapped }
    return self
  }

  /// The name of a named type, without its module.
  var name: String? { self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text }

  var genericArgument: TypeSyntax? {
    let clause =
      self.as(IdentifierTypeSyntax.self)?.genericArgumentClause ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    guard case .type(let type) = clause?.arguments.first?.argument else { return nil }
    return type
  }

  var isOptional: Bool { startsAsNil || (name == "Optional" && genericArgument != nil) }

  /// Whether a variable of the type is `nil` without an initial value.
  var startsAsNil: Bool { self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) }
}

extension ExprSyntax {
  /// The type of a literal, if it is certain.
  var literalType: String? {
    if let negative = self.as(PrefixOperatorExprSyntax.self), negative.operator.text == "-" {
      return [.integerLiteralExpr, .floatLiteralExpr].contains(negative.expression.kind)
        ? negative.expression.literalType : nil
    }
    switch kind {
    case .integerLiteralExpr: return "Int"
    case .floatLiteralExpr: return "Double"
    case .stringLiteralExpr: return "String"
    case .booleanLiteralExpr: return "Bool"
    default: return nil
    }
  }
}
