import SwiftSyntax

/// The names in the body of a derived property.
final class BodyNames: SyntaxVisitor {
  /// The names that the body reads as members of its object, or as locals.
  private(set) var reads: [(name: String, node: TokenSyntax)] = []
  /// The names that the body reads with `self`: they never mean locals.
  private(set) var ofSelf: Set<String> = []
  /// The places that use the object as a whole.
  private(set) var wholes: [TokenSyntax] = []
  /// The names that the body gives to its own values. The names in `if let name` are also read.
  private(set) var locals: [(name: String, node: TokenSyntax, isShorthand: Bool)] = []

  init(_ body: CodeBlockItemListSyntax) {
    super.init(viewMode: .sourceAccurate)
    walk(body)
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let access = node.parent?.as(MemberAccessExprSyntax.self)
    if node.baseName.tokenKind == .keyword(.self) {
      // `self.name` only reads the name.
      if access?.base?.id != ExprSyntax(node).id { wholes.append(node.baseName) }
    } else if node.parent?.is(KeyPathPropertyComponentSyntax.self) == true {
      return .visitChildren
    } else if access?.isOfSelf == true {
      ofSelf.insert(node.baseName.plainText)
      read(node.baseName)
    } else if access == nil || access?.base?.id == ExprSyntax(node).id {
      read(node.baseName)
    }
    return .visitChildren
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    let condition = node.parent?.as(OptionalBindingConditionSyntax.self)
    let isShorthand = condition.map { $0.initializer == nil } ?? false
    if isShorthand { read(node.identifier) }
    bind(node.identifier, isShorthand: isShorthand)
    return .visitChildren
  }

  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    bind(node.name)
    return .visitChildren
  }

  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    bind(node.secondName ?? node.firstName)
    return .visitChildren
  }

  override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
    if node.name.tokenKind == .keyword(.self) {
      wholes.append(node.name)
    } else {
      if node.initializer == nil { read(node.name) }
      bind(node.name, isShorthand: node.initializer == nil)
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    bind(node.name)
    return .visitChildren
  }

  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    bind(node.secondName ?? node.firstName)
    return .visitChildren
  }

  override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
    if node.catchItems.isEmpty { locals.append(("error", node.catchKeyword, false)) }
    return .visitChildren
  }

  private func read(_ name: TokenSyntax) { reads.append((name.plainText, name)) }

  private func bind(_ name: TokenSyntax, isShorthand: Bool = false) {
    locals.append((name.plainText, name, isShorthand))
  }
}

/// Names members of the object without `self`, because a function of their values has no `self`.
final class WithoutSelf: SyntaxRewriter {
  /// The names as they are declared: without `self` before it, `default` needs backticks.
  private let declared: [String: String]

  init(_ properties: [PersistedProperty]) {
    declared = Dictionary(properties.map { ($0.plainName, $0.name) }) { first, _ in first }
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    guard node.isOfSelf else { return super.visit(node) }
    var name = node.declName
    if let declared = declared[name.baseName.plainText] {
      name.baseName = name.baseName.with(\.tokenKind, .identifier(declared))
    }
    return ExprSyntax(name.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia))
  }
}

extension CodeBlockItemListSyntax {
  /// The texts of a body's tokens, in one form for bodies that differ only in style: without comments and blanks,
  /// `self.`, semicolons, trailing commas, backticks, and the `return` of a single expression.
  var normalTokens: [String] {
    var body = Syntax(self)
    if count == 1, let value = first?.item.as(ReturnStmtSyntax.self)?.expression { body = Syntax(value) }
    let plain = WithoutSelf([]).rewrite(body)
    var texts: [String] = []
    for token in plain.tokens(viewMode: .sourceAccurate) where token.tokenKind != .semicolon {
      let closes = token.tokenKind == .rightParen || token.tokenKind == .rightSquare
      if closes, texts.last == "," { texts.removeLast() }
      texts.append(token.plainText)
    }
    return texts
  }
}

extension TokenSyntax {
  /// The text, without the backticks of a name.
  var plainText: String {
    if case .identifier = tokenKind { text.filter { $0 != "`" } } else { text }
  }
}

extension MemberAccessExprSyntax {
  fileprivate var isOfSelf: Bool {
    base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
  }
}
