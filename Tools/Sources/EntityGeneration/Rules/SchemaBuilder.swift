import Foundation

/// Makes the model of a document's entities and values.
final class SchemaBuilder {
  enum Kind { case entity, embedded, value }

  let families: Families
  let scalars: ScalarRule
  let decisions: Decisions
  let findings: Findings
  private(set) var names: TypeNames
  private(set) var swiftNames: [Int: String] = [:]
  private(set) var kinds: [Int: Kind] = [:]
  private var enumNames: [String: String] = [:]
  private(set) var enums: [SchemaModel.Enumeration] = []

  init(_ families: Families, _ evidence: EvidenceBook, _ decisions: Decisions, prefix: String, _ findings: Findings) {
    self.families = families
    self.decisions = decisions
    self.findings = findings
    scalars = ScalarRule(evidence: evidence, findings: findings)
    names = TypeNames(prefix: prefix, decisions)
    for (number, family) in families.all.enumerated() {
      kinds[number] = family.uid != nil ? .entity : families.leadToEntities.contains(number) ? .embedded : .value
    }
    // Entities have the first choice of names.
    for kind in [Kind.entity, .embedded, .value] {
      for (number, family) in families.all.enumerated() where kinds[number] == kind {
        swiftNames[number] = names.take(family.name)
      }
    }
  }

  func name(_ number: Int) -> String { swiftNames[number] ?? "Object" }

  /// The first entity of each name, in the document's words and in Swift's, in lower case.
  private(set) lazy var entitiesByName: [String: Int] = {
    var numbers: [String: Int] = [:]
    for (number, family) in families.all.enumerated() where kinds[number] == .entity {
      // One key is no link to an object that several keys name.
      if family.uid?.isComposite == true { continue }
      for name in [family.name, name(number)] {
        let key = name.lowercased()
        numbers[key] = numbers[key] ?? number
      }
    }
    return numbers
  }()

  /// The families that have one another inside of them, other than in lists.
  private(set) lazy var cycles = Cycles(
    families.all.map { family in
      families.properties(of: family).compactMap { property -> Int? in
        guard let view = SchemaView(property.places[0]), view.items == nil else { return nil }
        return families.number(at: property.places[0], families.context(of: property))
      }
    })

  /// The Swift name of an enum: the document's, else that of its owner and key.
  func enumName(_ values: [String], at place: Place, owner: String, key: String) -> String {
    let view = SchemaView(place)
    let named = view.flatMap { SchemaIndex.name(of: $0.place) }
    let identity = (named ?? "\(owner).\(key)") + "\n" + values.joined(separator: "\n")
    if let known = enumNames[identity] { return known }
    let name = names.take(named ?? "\(owner)_\(key)", orElse: "\(owner)_\(key)")
    enumNames[identity] = name
    enums.append(SchemaModel.Enumeration(name: name, cases: Self.cases(values)))
    return name
  }

  /// A case for each value, each with a name of its own.
  static func cases(_ values: [String]) -> [SchemaModel.Enumeration.Case] {
    var taken: Set<String> = []
    return values.map { value in
      var name = Words.lowerCamel(value)
      if name.isEmpty { name = value.isEmpty ? "empty" : "other" }
      // `init`, `self` and `Type` can't be cases; `none` is mistaken for that of an Optional.
      if ["init", "self", "type", "none", "some", "protocol", "any"].contains(name.lowercased()) { name += "Value" }
      let base = name
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(base)\(number)"
        number += 1
      }
      return .init(name: name, rawValue: value)
    }
  }

  /// The doc comment of a description: its first paragraph.
  static func documentation(_ text: String?) -> String? {
    guard let text else { return nil }
    let paragraph = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.drop { $0.isEmpty }.prefix { !$0.isEmpty }.joined(separator: " ")
    let plain = String(paragraph.prefix(400))
    guard !plain.isEmpty else { return nil }
    return paragraph.count > 400 ? plain + "…" : plain
  }
}
