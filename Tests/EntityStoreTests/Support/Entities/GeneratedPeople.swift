import Foundation
import TestSchema
import TestSupport

@testable import EntityStore

extension Person: Generated {
  static func link(of row: QueryRow<Person>) -> QueryOptionalLink<Person> { row.boss }
  var linked: Person? { boss }
  static func list(of row: QueryRow<Person>) -> QueryList<Person> { row.reports }
  var listed: [Person] { reports }

  static func change(_ context: EntityContext, _ random: inout SeededRandom) throws {
    for _ in 0..<6 { _ = try context.insert(Person.self) }
    for _ in 0..<2 { _ = try context.insert(Team.self).uid = "\(random.next())" }
    let people = try context.fetch(Person.all)
    let bosses = try context.fetch(Person.all.including(.placeholders))
    let teams = try context.fetch(Team.all)
    for person in people where random.chance(2) {
      if person.uid == 0 { person.uid = Int(random.next() >> 2) }
      person.name = random.element(["", "a", "A", "b", "é", "É", "e\u{301}", "a'b", "aB"]) ?? ""
      person.age = random.below(4)
      person.email = random.chance(3) ? nil : random.element(["x", "X", "y", "z"])
      person.score = random.chance(3) ? nil : Double(random.below(4)) / 2
      person.boss = random.chance(3) ? nil : random.element(bosses)
      person.team = random.chance(3) ? nil : random.element(teams)
      if random.chance(2) {
        let note = try context.insert(Note.self)
        (note.person, note.rank) = (person, random.below(3))
      }
    }
    for person in people where random.chance(10) { try context.delete(person) }
  }

  static func condition(_ random: inout SeededRandom) -> GeneratedCondition<Person> {
    let number = random.below(4)
    let text = random.element(["", "a", "É", "e\u{301}b", "A'"]) ?? ""
    switch random.below(13) {
    case 0: return .init("age > \(number)", { $0.age > number }, { $0.age > number })
    case 1: return .init("email == nil", { $0.email == nil }, { $0.email == nil })
    case 2: return .init("score < 1", { $0.score < 1 }, { $0.score.map { $0 < 1 } ?? false })
    case 3: return .init("boss.age == \(number)", { $0.boss.age == number }, { $0.boss?.age == number })
    case 4:
      return .init("notes.any { rank > 0 }", { $0.notes.any { $0.rank > 0 } }, { $0.notes.contains { $0.rank > 0 } })
    case 5:
      let folded = PlainFold.anyCase.folded(text)
      return .init(
        "name.ignoringCase == \(text)", { $0.name.ignoringCase == text },
        { PlainFold.anyCase.folded($0.name) == folded })
    case 6:
      let folded = PlainFold.anyCaseOrAccent.folded(text)
      return .init(
        "name.ignoringCaseAndAccents.hasPrefix(\(text))", { $0.name.ignoringCaseAndAccents.hasPrefix(text) },
        { PlainFold.anyCaseOrAccent.folded($0.name).starts(with: folded) })
    case 7:
      let folded = PlainFold.ascii.folded(text)
      return .init(
        "name.ignoringASCIICase != \(text)", { $0.name.ignoringASCIICase != text },
        { PlainFold.ascii.folded($0.name) != folded })
    case 8:
      return .init(
        "email.ignoringCase == boss.email.ignoringCase", { $0.email.ignoringCase == $0.boss.email.ignoringCase },
        { $0.email.map(PlainFold.anyCase.folded) == $0.boss?.email.map(PlainFold.anyCase.folded) })
    case 9:
      return .init(
        "team.members.count > \(number)", { $0.team.members.count > number },
        { ($0.team?.members.count ?? 0) > number })
    case 10:
      return .init(
        "boss.reports.any { age > \(number) }", { $0.boss.reports.any { $0.age > number } },
        { $0.boss?.reports.contains { $0.age > number } ?? false })
    case 11: return .init("boss.boss == boss", { $0.boss.boss == $0.boss }, { $0.boss?.boss === $0.boss })
    default: return .init("team != nil", { $0.team != nil }, { $0.team != nil })
    }
  }

  static func pair(_ random: inout SeededRandom) -> GeneratedPair<Person> {
    switch random.below(6) {
    case 0: .init("age > around.age", { $0.age > $1.age }, { $0.age > $1.age })
    case 1: .init("name != around.name", { $0.name != $1.name }, { $0.name.bytes != $1.name.bytes })
    case 2: .init("boss == around.boss", { $0.boss == $1.boss }, { $0.boss === $1.boss })
    case 3:
      .init("age <= around.boss.age", { $0.age <= $1.boss.age }, { one, other in one.age <= other.boss?.age ?? -1 })
    case 4:
      .init(
        "reports.any { age == around.age }", { one, other in one.reports.any { $0.age == other.age } },
        { one, other in one.reports.contains { $0.age == other.age } })
    default:
      .init(
        "notes.count >= around.notes.count", { $0.notes.count >= $1.notes.count },
        { $0.notes.count >= $1.notes.count })
    }
  }

  static func key(_ random: inout SeededRandom) -> GeneratedKey<Person> {
    switch random.below(11) {
    case 0: .init("age", { $0.sorted(by: \.age, $1, nils: $2) }, { $0.age })
    case 1: .init("name", { $0.sorted(by: \.name, $1, nils: $2) }, bytes: { $0.name.bytes })
    case 2: .init("email", { $0.sorted(by: \.email, $1, nils: $2) }, bytes: { $0.email?.bytes })
    case 3: .init("score", { $0.sorted(by: \.score, $1, nils: $2) }, { $0.score })
    case 4: .init("boss.age", { $0.sorted($1, nils: $2) { $0.boss.age } }, { $0.boss?.age })
    case 5:
      .init(
        "name.ignoringASCIICase", { $0.sorted($1, nils: $2) { $0.name.ignoringASCIICase } },
        bytes: { PlainFold.ascii.folded($0.name) })
    case 6:
      .init(
        "name.ignoringCase", { $0.sorted($1, nils: $2) { $0.name.ignoringCase } },
        bytes: { PlainFold.anyCase.folded($0.name) })
    case 7:
      .init(
        "boss.name.ignoringCaseAndAccents", { $0.sorted($1, nils: $2) { $0.boss.name.ignoringCaseAndAccents } },
        bytes: { ($0.boss?.name).map(PlainFold.anyCaseOrAccent.folded) })
    case 8:
      .init(
        "email.ignoringCase", { $0.sorted($1, nils: $2) { $0.email.ignoringCase } },
        bytes: { $0.email.map(PlainFold.anyCase.folded) })
    case 9:
      // Where two texts are equal to the language, the next key decides.
      .init(
        "name.collated(by: de)", { $0.sorted(by: \.name, locale: german, $1, nils: $2) }, texts: { $0.name },
        { TextCollation.compare($0, $1, german) == .orderedAscending })
    default: .init("notes.count", { $0.sorted($1, nils: $2) { $0.notes.count } }, { $0.notes.count })
    }
  }

  private static let german = Locale(identifier: "de")
}
