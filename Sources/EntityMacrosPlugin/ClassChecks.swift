import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension MacroExpansionContext {
  /// Whether the declaration stands in the body of a function, an accessor or a closure.
  var isLocal: Bool {
    lexicalContext.contains { $0.is(ClosureExprSyntax.self) || $0.is(AccessorDeclSyntax.self) || $0.isFunction }
  }
}

extension Syntax {
  fileprivate var isFunction: Bool {
    [.functionDecl, .initializerDecl, .deinitializerDecl, .subscriptDecl].contains(kind)
  }
}

extension DeclGroupSyntax {
  /// The problem of a declaration that can't be an entity at all.
  func classProblem(in context: some MacroExpansionContext) -> Problem? {
    guard let entity = self.as(ClassDeclSyntax.self) else {
      let article = ["enum", "actor", "extension"].contains(introducer.text) ? "an" : "a"
      return Problem(
        introducer,
        "an entity is a final class, not \(article) \(introducer.text): each of its objects stands for one row")
    }
    if let parameters = entity.genericParameterClause {
      return Problem(parameters, "an entity can't be generic: its name is that of one table")
    }
    let isInGeneric = context.lexicalContext.contains {
      $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
    if isInGeneric {
      return Problem(entity.name, "an entity can't be declared in a generic type: its name is that of one table")
    }
    if let superclass = entity.inheritanceClause?.inheritedTypes.first(where: { $0.type.name == "NSObject" }) {
      return Problem(superclass, "an entity has no superclass: share code in extensions and protocols")
    }
    if entity.name.text == "Columns" {
      return Problem(entity.name, "'Columns' is what '@Entity' writes itself; choose another name")
    }
    return isolationProblem(entity)
  }

  private func isolationProblem(_ entity: ClassDeclSyntax) -> Problem? {
    // A macro can't see the declaration of an attribute. Most global actors are named after the main actor.
    if let actor = entity.attribute(where: { $0.hasSuffix("Actor") }) {
      return Problem(
        actor, "an entity belongs to no actor: each object is isolated as its context is",
        .remove(actor, from: entity))
    }
    if let observable = entity.attribute("Observable") {
      return Problem(
        observable, "an entity is observable already, '@Transient' properties too",
        .remove(observable, from: entity))
    }
    for inherited in entity.inheritanceClause?.inheritedTypes ?? [] where inherited.type.unwrapped.name == "Sendable" {
      return Problem(
        inherited.type,
        "an object of an entity stays in its context, so that it can't be Sendable; hand over its 'entityID'")
    }
    return nil
  }
}

extension ClassDeclSyntax {
  /// The protocol by which the class claims that it can be decoded, or decoded and encoded: decoders do not make its
  /// objects. A class may conform to `Encodable` alone.
  private var codable: TypeSyntax? {
    inheritanceClause?.inheritedTypes.lazy.map(\.type).first { ["Codable", "Decodable"].contains($0.unwrapped.name) }
  }

  var codableProblem: Problem? {
    codable.map {
      Problem(
        $0,
        "an entity is not decoded: contexts make its objects, and responses fill them; "
          + "'jsonObject(for:)' is what is sent of one")
    }
  }

  /// Fulfils the protocol that the class names by mistake, so that the compiler does not report it as well. The code is
  /// never run.
  var codablePlaceholders: [DeclSyntax] {
    guard let codable else { return [] }
    var members: [DeclSyntax] = []
    let functions = memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self)?.name.text }
    let initializers = memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self)?.signature }
    if !initializers.contains(where: { $0.parameterClause.parameters.first?.firstName.text == "from" }) {
      members.append("\(raw: access)nonisolated init(from decoder: any Decoder) throws { fatalError() }")
    }
    if codable.unwrapped.name == "Codable", !functions.contains("encode") {
      members.append("\(raw: access)nonisolated func encode(to encoder: any Encoder) throws {}")
    }
    return members
  }

  /// The class is not final. It is still expanded, because otherwise every use of it would also be an error.
  var finalProblem: Problem? {
    guard modifier(.final) == nil else { return nil }
    var mended = self
    mended.modifiers = modifiers.filter { $0.name.tokenKind != .keyword(.open) }
    mended.modifiers.append(DeclModifierSyntax(name: .keyword(.final, trailingTrivia: .space)))
    mended.classKeyword = classKeyword.with(\.leadingTrivia, [])
    mended = mended.with(\.leadingTrivia, leadingTrivia)
    return Problem(
      classKeyword, "an entity is a final class: its objects are made by contexts, of exactly this type",
      .replace("add 'final'", self, mended))
  }
}
