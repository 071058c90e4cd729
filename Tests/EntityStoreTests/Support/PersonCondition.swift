import EntityStore
import Foundation
import TestSupport

/// A condition on people, once in SQL and once in Swift.
struct PersonCondition {
  let text: String
  let sql: (QueryRow<Person>) -> EntityPredicate
  let holds: (Person) -> Bool

  static func random(_ random: inout SeededRandom) -> PersonCondition {
    let number = random.below(4)
    let text = random.element(["", "a", "É", "e\u{301}b", "A'"]) ?? ""
    switch random.below(11) {
    case 0: return .init(text: "age > \(number)", sql: { $0.age > number }, holds: { $0.age > number })
    case 1: return .init(text: "email == nil", sql: { $0.email == nil }, holds: { $0.email == nil })
    case 2: return .init(text: "score < 1", sql: { $0.score < 1 }, holds: { $0.score.map { $0 < 1 } ?? false })
    case 3:
      return .init(text: "boss.age == \(number)", sql: { $0.boss.age == number }, holds: { $0.boss?.age == number })
    case 4:
      return .init(
        text: "notes.any { rank > 0 }", sql: { $0.notes.any { $0.rank > 0 } },
        holds: { $0.notes.contains { $0.rank > 0 } })
    case 5:
      let folded = PlainFold.anyCase.folded(text)
      return .init(
        text: "name.ignoringCase == \(text)", sql: { $0.name.ignoringCase == text },
        holds: { PlainFold.anyCase.folded($0.name) == folded })
    case 6:
      let folded = PlainFold.anyCaseOrAccent.folded(text)
      return .init(
        text: "name.ignoringCaseAndAccents.hasPrefix(\(text))", sql: { $0.name.ignoringCaseAndAccents.hasPrefix(text) },
        holds: { PlainFold.anyCaseOrAccent.folded($0.name).starts(with: folded) })
    case 7:
      let folded = PlainFold.ascii.folded(text)
      return .init(
        text: "name.ignoringASCIICase != \(text)", sql: { $0.name.ignoringASCIICase != text },
        holds: { PlainFold.ascii.folded($0.name) != folded })
    case 8:
      return .init(
        text: "email.ignoringCase == boss.email.ignoringCase",
        sql: { $0.email.ignoringCase == $0.boss.email.ignoringCase },
        holds: { $0.email.map(PlainFold.anyCase.folded) == $0.boss?.email.map(PlainFold.anyCase.folded) })
    case 9:
      return .init(
        text: "team.members.count > \(number)", sql: { $0.team.members.count > number },
        holds: { ($0.team?.members.count ?? 0) > number })
    default:
      return .init(text: "team != nil", sql: { $0.team != nil }, holds: { $0.team != nil })
    }
  }
}

/// A key of an order of people, once in SQL and once in Swift.
struct PersonKey {
  let text: String
  let sorted: (EntityQuery<Person>, EntityQuery<Person>.Order, EntityQuery<Person>.NilOrder?) -> EntityQuery<Person>
  /// Whether the one comes before the other, where the smallest comes first; `nil` where they are equal.
  let precedes: (Person, Person) -> Bool?
  let isNil: (Person) -> Bool

  private init(
    text: String,
    sorted:
      @escaping (EntityQuery<Person>, EntityQuery<Person>.Order, EntityQuery<Person>.NilOrder?) -> EntityQuery<Person>,
    precedes: @escaping (Person, Person) -> Bool?, isNil: @escaping (Person) -> Bool = { _ in false }
  ) {
    (self.text, self.sorted, self.precedes, self.isNil) = (text, sorted, precedes, isNil)
  }

  static func random(_ random: inout SeededRandom) -> PersonKey {
    switch random.below(10) {
    case 0: .init(text: "age", sorted: { $0.sorted(by: \.age, $1, nils: $2) }, precedes: by(\.age))
    case 1:
      .init(text: "name", sorted: { $0.sorted(by: \.name, $1, nils: $2) }, precedes: { byBytes($0.name, $1.name) })
    case 2:
      .init(
        text: "email", sorted: { $0.sorted(by: \.email, $1, nils: $2) }, precedes: { byBytes($0.email, $1.email) },
        isNil: { $0.email == nil })
    case 3:
      .init(
        text: "score", sorted: { $0.sorted(by: \.score, $1, nils: $2) }, precedes: byOptional(\.score),
        isNil: { $0.score == nil })
    case 4:
      .init(
        text: "boss.age", sorted: { $0.sorted($1, nils: $2) { $0.boss.age } }, precedes: byOptional { $0.boss?.age },
        isNil: { $0.boss == nil })
    case 5:
      .init(
        text: "name.ignoringASCIICase", sorted: { $0.sorted($1, nils: $2) { $0.name.ignoringASCIICase } },
        precedes: { byFold(.ascii, $0.name, $1.name) })
    case 6:
      .init(
        text: "name.ignoringCase", sorted: { $0.sorted($1, nils: $2) { $0.name.ignoringCase } },
        precedes: { byFold(.anyCase, $0.name, $1.name) })
    case 7:
      .init(
        text: "boss.name.ignoringCaseAndAccents",
        sorted: { $0.sorted($1, nils: $2) { $0.boss.name.ignoringCaseAndAccents } },
        precedes: { byFold(.anyCaseOrAccent, $0.boss?.name, $1.boss?.name) }, isNil: { $0.boss == nil })
    case 8:
      .init(
        text: "email.ignoringCase", sorted: { $0.sorted($1, nils: $2) { $0.email.ignoringCase } },
        precedes: { byFold(.anyCase, $0.email, $1.email) }, isNil: { $0.email == nil })
    default:
      .init(
        text: "notes.count", sorted: { $0.sorted($1, nils: $2) { $0.notes.count } }, precedes: by { $0.notes.count })
    }
  }

  static func by<V: Comparable>(_ value: @escaping (Person) -> V) -> (Person, Person) -> Bool? {
    { value($0) == value($1) ? nil : value($0) < value($1) }
  }

  static func byOptional<V: Comparable>(_ value: @escaping (Person) -> V?) -> (Person, Person) -> Bool? {
    { left, right in
      switch (value(left), value(right)) {
      case (nil, nil): nil
      case (nil, _): true
      case (_, nil): false
      case (let left?, let right?): left == right ? nil : left < right
      }
    }
  }

  static func byFold(_ fold: PlainFold, _ left: String?, _ right: String?) -> Bool? {
    byOptionalBytes(left.map(fold.folded), right.map(fold.folded))
  }

  static func byBytes(_ left: String?, _ right: String?) -> Bool? {
    byOptionalBytes(left.map { Array($0.utf8) }, right.map { Array($0.utf8) })
  }

  private static func byOptionalBytes(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool? {
    switch (left, right) {
    case (nil, nil): nil
    case (nil, _): true
    case (_, nil): false
    case (let left?, let right?):
      left == right ? nil : left.lexicographicallyPrecedes(right)
    }
  }
}

/// Text without regard to case, or to accents, by what Foundation and the standard library have for it.
enum PlainFold {
  case ascii, anyCase, anyCaseOrAccent

  /// The bytes of the folded text.
  func folded(_ text: String) -> [UInt8] {
    if self == .ascii { return text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
    let scalars = text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars
    let kept = scalars.filter { self == .anyCase || $0.properties.generalCategory != .nonspacingMark }
    return Array(String(String.UnicodeScalarView(kept)).precomposedStringWithCanonicalMapping.utf8)
  }
}
