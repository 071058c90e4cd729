import SwiftSyntax
import SwiftSyntaxBuilder

/// The members of an entity, in the form of one that is written by hand.
struct EntityExpansion {
  private let name: String
  private let access: String
  private let properties: [PersistedProperty]
  private let mayHaveSuperclass: Bool

  init(_ entity: ClassDeclSyntax) {
    name = entity.name.text
    access = entity.access
    properties = entity.persistedProperties
    mayHaveSuperclass = entity.mayHaveSuperclass
  }

  var members: [DeclSyntax] {
    [
      """
      \(raw: access)nonisolated struct Columns: Sendable {
      \(raw: lines(properties.enumerated()) {
        "\($1.deprecation)\($1.access)let \($1.name) = _EntityColumn<\(name), \($1.typeName)>(\($0), \"\($1.plainName)\")"
      })
      }
      """,
      "\(raw: access)nonisolated static let columns: Columns = Columns()",
      "\(raw: deprecation)\(raw: access)nonisolated static let properties: [_EntityDescriptor] = \(raw: descriptors)",
      "\(raw: access)nonisolated let _$state: _EntityState",
      initializer,
      """
      \(raw: deprecation)\(raw: access)nonisolated func _$load(_ row: _EntityRowReader) {
      \(raw: lines(properties) { "_load(row, Self.columns.\($0.name), &\($0.slot))" })
      }
      """,
      """
      \(raw: deprecation)\(raw: access)nonisolated func _$store(into row: inout _EntityRowValues) {
      \(raw: lines(properties) { "_store(&row, Self.columns.\($0.name), \($0.slot))" })
      }
      """,
    ]
  }

  private var initializer: DeclSyntax {
    guard mayHaveSuperclass else {
      return "\(raw: access)nonisolated init(_ state: _EntityState) { _$state = state }"
    }
    return """
      \(raw: access)nonisolated init(_ state: _EntityState) {
        _$state = state
        _entityHasNoSuperclass()
      }
      """
  }

  /// What names all properties does so without a warning, though some be deprecated.
  private var deprecation: String {
    properties.contains { !$0.deprecation.isEmpty } ? "@available(*, deprecated) " : ""
  }

  /// The list of descriptors. Inverses come first, in statements of their own: an overload that fits must not be what decides
  /// which property an inverse is.
  private var descriptors: String {
    let list = """
      [
      \(lines(properties) { ".property(\\\(name).\($0.name), columns.\($0.name)\($0.descriptorArguments))," })
      ]
      """
    let inverses = properties.compactMap { property in
      property.problem != nil
        ? nil : property.inverse.map { "let \(property.slot) = _InverseColumns<\($0.entity)>().\($0.property)" }
    }
    return inverses.isEmpty ? list : "{\n\(lines(inverses) { $0 })\n  return \(list.indented)\n}()"
  }

  private func lines<Items: Sequence>(_ items: Items, _ line: (Items.Element) -> String) -> String {
    items.map { "  " + line($0) }.joined(separator: "\n")
  }
}

extension String {
  /// Each line but the first. Empty ones stay: they may be those of a text.
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
  }
}

extension ClassDeclSyntax {
  /// Whether the first type that the class names may be a class, which a macro can't see.
  fileprivate var mayHaveSuperclass: Bool {
    guard let first = inheritanceClause?.inheritedTypes.first?.type.name else { return false }
    return !["ManagedEntity", "RemoteEntity"].contains(first)
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

  /// What a refused type gets, so that the compiler does not complain of its missing initialiser as well. It is never run:
  /// the refusal is an error.
  var placeholderInitializer: [DeclSyntax] {
    guard self.is(ClassDeclSyntax.self) || self.is(ActorDeclSyntax.self) else { return [] }
    return ["init(_ state: _EntityState) { fatalError() }"]
  }
}
