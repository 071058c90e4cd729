import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The members of an entity, in the form of an entity that is written by hand.
struct EntityExpansion {
  private let entityName: TokenSyntax
  private let access: String
  private let properties: [PersistedProperty]
  /// The first type that the class names, if it may be a class. A macro can't see which it is.
  private let superclass: TypeSyntax?
  private let isInExtension: Bool
  private let isFinal: Bool
  private let places: SourcePlaces
  /// The derived properties whose bodies can't be functions of attributes.
  private let refusedBodies: Set<String>
  private let formerNames: [ExprSyntax]
  private let removedNames: [ExprSyntax]

  init(_ entity: ClassDeclSyntax, in context: some MacroExpansionContext) {
    entityName = entity.name
    access = entity.access(in: context.lexicalContext.first)
    properties = entity.persistedProperties
    superclass = entity.superclass
    isInExtension = context.lexicalContext.contains { $0.is(ExtensionDeclSyntax.self) }
    isFinal = entity.modifier(.final) != nil
    places = SourcePlaces(context)
    refusedBodies = entity.refusedBodies
    formerNames = entity.formerNames
    removedNames = entity.removedNames
  }

  private var name: String { entityName.text }

  var members: [DeclSyntax] {
    var members = columnsType
    members += columnsMember
    members += [
      """
      \(raw: descriptorsDeprecation)\(raw: own)nonisolated static var properties: [_EntityDescriptor] {
      \(raw: descriptors)
      }
      """,
      "\(raw: own)nonisolated let _$state: _EntityState",
    ]
    members += names("formerEntityNames", formerNames) + names("removedProperties", removedNames)
    members += initializer
    members += [
      """
      \(raw: deprecation)\(raw: own)nonisolated func _$load(_ row: _EntityRowReader) {
      \(raw: lines { "_load(row, Self.columns.\($0.name)) { \($0.slot) = $0 }" })
      }
      """,
      """
      \(raw: deprecation)\(raw: own)nonisolated func _$store(into row: inout _EntityRowValues) {
      \(raw: lines { "_store(&row, Self.columns.\($0.name), \($0.slot))" })
      }
      """,
    ]
    return members
  }

  private func names(_ member: String, _ names: [ExprSyntax]) -> [DeclSyntax] {
    guard !names.isEmpty else { return [] }
    let list = names.map(\.trimmedDescription).joined(separator: ", ")
    return ["\(raw: own)nonisolated static var \(raw: member): [Swift.String] { [\(raw: list)] }"]
  }

  /// The modifier before members that a superclass may also have. An entity that inherits from another entity is one
  /// error of the compiler. The overridden members would be nine more.
  private var own: String { superclass == nil ? access : "@_nonoverride \(access)" }

  private var columnsType: [DeclSyntax] {
    let lines = properties.enumerated().map { index, property in
      SourcePlaces.Line(
        "\(property.deprecation)\(property.access)let \(property.name) = "
          + "\(property.columnType.name)<\(name), \(property.columnType.value)>(\(index), \"\(property.plainName)\")",
        for: property.binding.pattern)
    }
    let type: DeclSyntax = """
      \(raw: access)nonisolated struct Columns: Sendable {
      \(raw: places.rows(lines, separator: "; "))
      }
      """
    return lines.first.map { places.member(type, line: 2, for: $0.node) } ?? [type]
  }

  /// The one member that does not compile in an extension of a generic type.
  private var columnsMember: [DeclSyntax] {
    let columns: DeclSyntax = "\(raw: own)nonisolated static let columns: Columns = Columns()"
    return isInExtension ? places.member(columns, for: entityName) : [columns]
  }

  private var initializer: [DeclSyntax] {
    guard let superclass else {
      return ["\(raw: access)\(raw: required)nonisolated init(_ state: _EntityState) { _$state = state }"]
    }
    // The compiler reports a missing 'super.init' at the brace, which counts as the same line.
    let check = places.block(
      [SourcePlaces.Line("_entityHasNoSuperclass() }", for: superclass, lead: 0)], separator: "", ends: false)
    return ["\(raw: own)\(raw: required)nonisolated init(_ state: _EntityState) {\n  _$state = state\n\(raw: check)"]
      + places.end(for: superclass)
  }

  /// The conformance of a class that is not final needs this.
  private var required: String { isFinal ? "" : "required " }

  /// A member that names all properties must not warn, though some are deprecated.
  private var deprecation: String {
    properties.contains { !$0.deprecation.isEmpty } ? Self.deprecated : ""
  }

  /// The declaration of an inverse may be deprecated.
  private var descriptorsDeprecation: String {
    inverses.isEmpty && deprecation.isEmpty && !properties.contains { $0.problem == nil && $0.sortKey != nil }
      ? "" : #"@available(*, deprecated, message: "the store reads 'properties' when it opens") "#
  }

  private static let deprecated = "@available(*, deprecated) "

  private var inverses: [SourcePlaces.Line] {
    properties.compactMap { property in
      guard property.problem == nil, let inverse = property.inverse, let argument = property.inverseArgument else {
        return nil
      }
      return SourcePlaces.Line(
        "let \(property.slot) = _InverseColumns<\(inverse.entity)>().\(inverse.property)", for: argument)
    }
  }

  /// The list of descriptors. Inverses come first, in separate statements: the choice of an overload must not decide
  /// which property an inverse is.
  private var descriptors: String {
    let list = properties.compactMap { property in
      property.isDerived ? derived(property) : stored(property)
    }
    func array(_ head: String) -> String {
      places.block(list, head: head, foot: "  ]", indentation: 4, separator: " ")
    }
    return inverses.isEmpty ? array("  [") : places.block(inverses, separator: "; ") + "\n" + array("  return [")
  }

  private func stored(_ property: PersistedProperty) -> SourcePlaces.Line {
    // The compiler points to `property`, which stands behind a dot.
    SourcePlaces.Line(
      ".property(\\\(name).\(property.name), columns.\(property.name)\(property.descriptorArguments))"
        + "\(property.emptyDefault)\(property.independence)\(property.arranging)\(property.renaming),",
      for: property.inverseArgument.map(Syntax.init) ?? Syntax(property.binding.pattern), lead: 1)
  }

  /// `nil` where a problem was found.
  private func derived(_ property: PersistedProperty) -> SourcePlaces.Line? {
    guard !refusedBodies.contains(property.name),
      let text = DerivedProperty(property)?.descriptor(of: name, among: properties)
    else { return nil }
    return SourcePlaces.Line(text + ",", for: property.binding.pattern, lead: 1)
  }

  private func lines(_ line: (PersistedProperty) -> String) -> String {
    properties.filter { !$0.isDerived }.map { "  " + line($0) }.joined(separator: "\n")
  }
}

extension ClassDeclSyntax {
  /// The first type that the class names, unless it is certainly a protocol.
  fileprivate var superclass: TypeSyntax? {
    guard let first = inheritanceClause?.inheritedTypes.first?.type, let name = first.name,
      !["ManagedEntity", "RemoteEntity"].contains(name)
    else { return nil }
    return first
  }
}

extension DeclGroupSyntax {
  /// The columns in the order of their declaration.
  var persistedProperties: [PersistedProperty] {
    memberBlock.members.compactMap { member in
      guard let variable = member.decl.as(VariableDeclSyntax.self),
        case .persisted(let property) = EntityMember(variable)
      else { return nil }
      return property
    }
  }

  /// The initialiser for a refused type, so that the compiler does not also report a missing initialiser. It is never
  /// run: the refusal is an error.
  var placeholderInitializer: [DeclSyntax] {
    guard self.is(ClassDeclSyntax.self) || self.is(ActorDeclSyntax.self) else { return [] }
    return ["init(_ state: _EntityState) { fatalError() }"]
  }
}
