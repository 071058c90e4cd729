import SwiftSyntax

extension ExprSyntax {
  /// Whether the expression has another value each time, as far as the syntax shows: the present time, a new UUID, or a
  /// random value.
  ///
  /// - Parameter type: The name of the expression's type, for which a leading dot stands.
  func isMadeAnew(as type: String?) -> Bool {
    let visitor = VaryingValueVisitor(type: type)
    visitor.walk(self)
    return visitor.isFound
  }
}

private final class VaryingValueVisitor: SyntaxVisitor {
  private static let calls: Set = ["random", "randomElement", "shuffled"]
  /// The labels that read the clock.
  private static let labels: Set = ["timeIntervalSinceNow"]
  private static let clocks: Set = ["Date", "ContinuousClock", "SuspendingClock"]

  private let type: String?
  private(set) var isFound = false

  init(type: String?) {
    self.type = type
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let isEmpty = call.arguments.isEmpty && call.trailingClosure == nil
    if let member = call.calledExpression.as(MemberAccessExprSyntax.self) {
      let name = member.declName.baseName.text
      if Self.calls.contains(name) { isFound = true }
      if name == "init", isEmpty, isMadeAnew(member) { isFound = true }
    }
    if isEmpty, let name = call.calledExpression.typeName, ["Date", "UUID"].contains(name) { isFound = true }
    if call.arguments.contains(where: { Self.labels.contains($0.label?.text ?? "") }) { isFound = true }
    return .visitChildren
  }

  override func visit(_ member: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if member.declName.baseName.text == "now", let name = name(of: member), Self.clocks.contains(name) {
      isFound = true
    }
    return .visitChildren
  }

  private func isMadeAnew(_ member: MemberAccessExprSyntax) -> Bool {
    name(of: member).map { ["Date", "UUID"].contains($0) } ?? false
  }

  /// The type to which a member belongs.
  private func name(of member: MemberAccessExprSyntax) -> String? {
    guard let base = member.base else { return type }
    return base.typeName
  }
}

extension ExprSyntax {
  /// The name of a type, without its module.
  fileprivate var typeName: String? {
    self.as(DeclReferenceExprSyntax.self)?.baseName.text
      ?? self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
  }
}
