/// Makes the model of a document's entities and values.
final class SchemaBuilder {
  enum Kind { case entity, embedded, value }

  let families: Families
  let scalars: ScalarRule
  let settings: Settings
  let findings: Findings
  private(set) var names: TypeNames
  private(set) var swiftNames: [Int: String] = [:]
  private(set) var kinds: [Int: Kind] = [:]
  private var enumNames: [String: String] = [:]
  private(set) var enums: [SchemaModel.Enumeration] = []

  init(_ families: Families, _ evidence: EvidenceBook, _ settings: Settings, prefix: String, _ findings: Findings) {
    self.families = families
    self.settings = settings
    self.findings = findings
    scalars = ScalarRule(evidence: evidence, findings: findings)
    names = TypeNames(prefix: prefix, chosen: settings.names)
    for (number, family) in families.all.enumerated() {
      kinds[number] = family.uid != nil ? .entity : families.leadsToEntity(number) ? .embedded : .value
    }
    // Entities have the first choice of names.
    for kind in [Kind.entity, .embedded, .value] {
      for (number, family) in families.all.enumerated() where kinds[number] == kind {
        swiftNames[number] = names.take(family.name)
      }
    }
  }

  func name(_ number: Int) -> String { swiftNames[number] ?? "Object" }

  func number(named name: String) -> Int? { swiftNames.first { $0.value == name }?.key }

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
    let paragraph = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmed }.drop { $0.isEmpty }.prefix { !$0.isEmpty }.joined(separator: " ")
    let plain = String(paragraph.prefix(400))
    guard !plain.isEmpty else { return nil }
    return paragraph.count > 400 ? plain + "…" : plain
  }
}

extension StringProtocol {
  /// Without spaces at both ends.
  var trimmed: String {
    var text = Substring(self)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
