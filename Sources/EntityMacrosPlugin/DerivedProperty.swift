import SwiftSyntax
import SwiftSyntaxBuilder

/// A computed property with `@Derived`: a column whose value the store computes with the body of the getter.
struct DerivedProperty {
  let property: PersistedProperty
  private let body: CodeBlockItemListSyntax

  /// `nil` for a property that is not derived, or has no usable getter.
  init?(_ property: PersistedProperty) {
    guard property.isDerived, property.problem == nil, let body = property.variable.getterBody else { return nil }
    self.property = property
    self.body = body
  }

  /// The first problem of the body.
  func problem(in entity: ClassDeclSyntax) -> Problem? {
    let names = BodyNames(body)
    if let whole = names.wholes.first {
      return Problem(
        whole,
        "a derived property reads attributes by their names: where a response comes there is no object as a whole")
    }
    let members = entity.readability
    for local in names.locals {
      guard let member = members[local.name] else { continue }
      // Without `self`, both names would be the same, and the name of another member would count as a read of that
      // member.
      guard names.ofSelf.contains(local.name) || (member != nil && !local.isShorthand) else { continue }
      return Problem(
        local.node,
        "'\(local.name)' is a property of the entity, and a derived property can't have a local of that name: rename the local"
      )
    }
    for (name, node) in names.reads {
      guard case .some(.some(let kind)) = members[name] else { continue }
      return Problem(
        node, "a derived property is made of stored attributes of its own object, and '\(name)' is \(kind)")
    }
    guard sources(among: entity.persistedProperties).isEmpty else { return nil }
    return Problem(
      property.binding.pattern,
      "a derived property is made of stored attributes, and '\(property.plainName)' reads none: it would have one value in "
        + "all rows")
  }

  /// The attributes that the body reads, in the order of their declaration.
  private func sources(among properties: [PersistedProperty]) -> [PersistedProperty] {
    let names = Set(BodyNames(body).reads.map(\.name))
    return properties.filter { !$0.isDerived && names.contains($0.plainName) }
  }

  /// The descriptor, with the body as a function of the sources; `nil` where the body has no sources.
  func descriptor(of entity: String, among properties: [PersistedProperty]) -> String? {
    let read = sources(among: properties)
    guard !read.isEmpty else { return nil }
    let sources = read.map(\.name)
    let columns = sources.map { "columns.\($0)" }.joined(separator: ", ")
    let indexed = property.variable.attribute("Indexed") == nil ? "" : ", indexed: true"
    let code = WithoutSelf(read).rewrite(body).with(\.trailingTrivia, []).description
    let isOneLine = !code.contains { $0.isNewline }
    return ".derived(\\\(entity).\(property.name), columns.\(property.name), from: \(columns), "
      + "version: \"\(version)\"\(indexed)) { \(sources.joined(separator: ", ")) -> \(property.typeName) in "
      + "\(code)\(isOneLine ? " " : "\n")}"
  }

  /// The declared version and a hash of the body. It is FNV-1a with 64 bits
  /// (http://www.isthe.com/chongo/tech/comp/fnv/). It tells a body from an edited one. It does not protect against
  /// tampering.
  private var version: String {
    let declared = property.variable.attribute("Derived")?.argument("version")?.expression.trimmedDescription ?? "1"
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for text in body.normalTokens {
      for byte in text.utf8 + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return "\(declared)-\(String(hash, radix: 16))"
  }
}

extension PersistedProperty {
  /// Whether the store computes the property's values.
  var isDerived: Bool { variable.attribute("Derived") != nil && variable.isComputed }

  /// The problem of a property that is declared as derived, apart from the names that its body reads.
  var derivationProblem: Problem? {
    guard let attribute = variable.attribute("Derived") else { return nil }
    guard variable.isComputed else {
      return Problem(
        attribute,
        "a derived property is computed: say in braces how its value is made, as in 'var \(name): \(typeName) { … }'",
        .remove(attribute, from: variable))
    }
    for case .attribute(let other) in variable.attributes
    where MarkerMacro.names.contains(other.plainName) && !["Derived", "Indexed"].contains(other.plainName) {
      return Problem(
        other, "'@\(other.plainName)' has no meaning for a derived property: no response has it, and nobody sets it",
        .remove(other, from: variable))
    }
    if let version = attribute.argument("version")?.expression, !version.is(IntegerLiteralExprSyntax.self) {
      return Problem(version, "the version is a number, which you raise with each change that the body does not show")
    }
    guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return nil }
    for accessor in accessors {
      guard accessor.accessorSpecifier.tokenKind == .keyword(.get) else {
        return Problem(
          accessor.accessorSpecifier,
          "a derived property has a getter alone: its value follows from others, and nobody sets it")
      }
      if let effects = accessor.effectSpecifiers {
        return Problem(effects, "the getter of a derived property neither throws nor waits: each row has a value")
      }
    }
    return nil
  }
}

extension ClassDeclSyntax {
  /// The problems of the bodies of derived properties.
  var derivedProblems: [Problem] { persistedProperties.compactMap { DerivedProperty($0)?.problem(in: self) } }

  /// The names of the derived properties whose bodies have a problem.
  var refusedBodies: Set<String> {
    Set(persistedProperties.filter { DerivedProperty($0)?.problem(in: self) != nil }.map(\.name))
  }

  /// The members of the object. A member that no derived property can read has a description of its kind.
  fileprivate var readability: [String: String?] {
    var members: [String: String?] = [:]
    for member in memberBlock.members {
      if let function = member.decl.as(FunctionDeclSyntax.self), function.modifier(.static, .class) == nil {
        members[function.name.text] = "a function of the object: make it static, and call it with the values"
      }
      guard let variable = member.decl.as(VariableDeclSyntax.self), variable.modifier(.static, .class) == nil else {
        continue
      }
      for name in variable.bindings.compactMap({ $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }) {
        members.updateValue(variable.whyUnreadable, forKey: name.filter { $0 != "`" })
      }
    }
    return members
  }
}

extension VariableDeclSyntax {
  /// The reason why a derived property can't read the variable; `nil` where it may.
  fileprivate var whyUnreadable: String? {
    guard case .persisted(let property) = EntityMember(self) else { return "no column" }
    if property.isDerived { return "derived, too: name the attributes that it is made of" }
    if attribute("Lazy") != nil { return "lazy: the store would read it for each change of another source" }
    return attribute("Relationship") == nil ? nil : "a relationship"
  }

  fileprivate var getterBody: CodeBlockItemListSyntax? {
    let accessors = bindings.first?.accessorBlock?.accessors
    // There is no `switch`; see `AttributeSyntax.words`.
    if case .getter(let body) = accessors { return body }
    guard case .accessors(let list) = accessors else { return nil }
    return list.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body?.statements
  }
}
