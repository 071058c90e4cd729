import EntityStore
import Foundation
import TestSchema
import TestSupport

extension Pilgrim: Generated {
  static func link(of row: QueryRow<Pilgrim>) -> QueryOptionalLink<Pilgrim> { row.guided }
  var linked: Pilgrim? { guided }
  static func list(of row: QueryRow<Pilgrim>) -> QueryList<Pilgrim> { row.pilgrims }
  var listed: [Pilgrim] { pilgrims }

  static func change(_ context: EntityContext, _ random: inout SeededRandom) throws {
    for _ in 0..<6 { _ = try context.insert(Pilgrim.self) }
    for _ in 0..<4 { try context.insert(Badge.self).number = random.below(5) }
    let pilgrims = try context.fetch(Pilgrim.all)
    let others = try context.fetch(Pilgrim.all.including(.placeholders))
    let badges = try context.fetch(Badge.all)
    for pilgrim in pilgrims where random.chance(2) {
      pilgrim.name = random.element(["", "a", "A", "b", "é", "É", "e\u{301}", "ab"]) ?? ""
      pilgrim.nights = random.below(4)
      pilgrim.paid = random.chance(3) ? nil : Double(random.below(4)) / 2
      pilgrim.photo = random.chance(2) ? nil : Data([UInt8(random.below(3))])
      pilgrim.remarks = random.element(["", "x", "y"]) ?? ""
      pilgrim.host = random.chance(3) ? nil : random.element(others)
      pilgrim.badge = random.chance(4) ? nil : random.element(badges)
      if random.chance(2) {
        pilgrim.guide = random.element(others)
      } else {
        pilgrim.guided = random.element(pilgrims)
      }
    }
    for badge in badges where random.chance(3) {
      badge.number = random.below(5)
      badge.scan = random.chance(2) ? nil : Data([1])
      badge.holder = random.chance(3) ? nil : random.element(pilgrims)
    }
    for pilgrim in pilgrims where random.chance(10) { try context.delete(pilgrim) }
    for badge in badges where random.chance(8) { try context.delete(badge) }
  }

  static func condition(_ random: inout SeededRandom) -> GeneratedCondition<Pilgrim> {
    random.chance(2) ? ownCondition(&random) : linkCondition(&random)
  }

  /// On derived and lazy properties.
  private static func ownCondition(_ random: inout SeededRandom) -> GeneratedCondition<Pilgrim> {
    let number = random.below(5) - 1
    let text = random.element(["", "a", "É", "e\u{301}", "A"]) ?? ""
    switch random.below(10) {
    case 0: return .init("level > \(number)", { $0.level > number }, { $0.level > number })
    case 1: return .init("initial == nil", { $0.initial == nil }, { $0.initial == nil })
    case 2:
      return .init("initial == \(text)", { $0.initial == text }, { $0.initial?.bytes == text.bytes })
    case 3:
      let folded = PlainFold.anyCaseOrAccent.folded(text)
      return .init(
        "initial.ignoringCaseAndAccents.hasPrefix(\(text))",
        { $0.initial.ignoringCaseAndAccents.hasPrefix(text) },
        { $0.initial.map { PlainFold.anyCaseOrAccent.folded($0).starts(with: folded) } ?? false })
    case 4:
      return .init("isLong && mean < 1", { $0.isLong && $0.mean < 1 }, { $0.isLong && $0.mean.map { $0 < 1 } ?? false })
    case 5: return .init("mean == nil", { $0.mean == nil }, { $0.mean == nil })
    case 6: return .init("photo == nil", { $0.photo == nil }, { $0.photo == nil })
    case 7: return .init("photo != nil", { $0.photo != nil }, { $0.photo != nil })
    case 8:
      return .init(
        "level.isIn([\(number), 0])", { $0.level.isIn([number, 0]) }, { [number, 0].contains($0.level) })
    default:
      return .init(
        "level == host.level", { $0.level == $0.host.level }, { $0.level == $0.host?.level })
    }
  }

  /// Through links, lists and the sides without a column.
  private static func linkCondition(_ random: inout SeededRandom) -> GeneratedCondition<Pilgrim> {
    let number = random.below(5)
    switch random.below(19) {
    case 0: return .init("badge == nil", { $0.badge == nil }, { $0.badge == nil })
    case 1: return .init("badge != nil", { $0.badge != nil }, { $0.badge != nil })
    case 2:
      return .init(
        "badge.number > \(number)", { $0.badge.number > number }, { $0.badge.map { $0.number > number } ?? false })
    case 3: return .init("badge.code != E2", { $0.badge.code != "E2" }, { $0.badge?.code != "E2" })
    case 4: return .init("badge.scan == nil", { $0.badge.scan == nil }, { $0.badge?.scan == nil })
    case 5:
      return .init(
        "badge.isIn(number < \(number))", { row in row.badge.isIn(Badge.where { $0.number < number }) },
        { $0.badge.map { $0.number < number } ?? false })
    case 6: return .init("badge == host.badge", { $0.badge == $0.host.badge }, { $0.badge === $0.host?.badge })
    case 7:
      return .init(
        "host.badge.number <= \(number)", { $0.host.badge.number <= number },
        { $0.host?.badge.map { $0.number <= number } ?? false })
    case 8:
      return .init(
        "badge.holder.host == host", { $0.badge.holder.host == $0.host }, { $0.badge?.holder?.host === $0.host })
    case 9:
      return .init(
        "pilgrims.any { badge == nil }", { $0.pilgrims.any { $0.badge == nil } },
        { $0.pilgrims.contains { $0.badge == nil } }
      )
    case 10:
      return .init(
        "pilgrims.all { photo != nil }", { $0.pilgrims.all { $0.photo != nil } },
        { $0.pilgrims.allSatisfy { $0.photo != nil } })
    case 11: return .init("guided != nil", { $0.guided != nil }, { $0.guided != nil })
    case 12:
      return .init(
        "guided.level > level", { $0.guided.level > $0.level },
        { pilgrim in pilgrim.guided.map { $0.level > pilgrim.level } ?? false })
    case 13:
      return .init(
        "guided.pilgrims.count > 0", { $0.guided.pilgrims.count > 0 }, { ($0.guided?.pilgrims.count ?? 0) > 0 })
    case 14:
      return .init("guided.guided == guide", { $0.guided.guided == $0.guide }, { $0.guided?.guided === $0.guide })
    case 15:
      return .init("guide.badge.number > 0", { $0.guide.badge.number > 0 }, { ($0.guide?.badge?.number ?? 0) > 0 })
    case 16:
      return .init("host.pilgrims.count > 1", { $0.host.pilgrims.count > 1 }, { ($0.host?.pilgrims.count ?? 0) > 1 })
    case 17: return .init("host != guide", { $0.host != $0.guide }, { $0.host !== $0.guide })
    default: return .init("host.remarks == nil", { $0.host.remarks == nil }, { $0.host == nil })
    }
  }

  static func pair(_ random: inout SeededRandom) -> GeneratedPair<Pilgrim> {
    switch random.below(6) {
    case 0: .init("level > around.level", { $0.level > $1.level }, { $0.level > $1.level })
    case 1: .init("initial == around.initial", { $0.initial == $1.initial }, { $0.initial?.bytes == $1.initial?.bytes })
    case 2: .init("host == around.guided", { $0.host == $1.guided }, { $0.host === $1.guided })
    case 3:
      .init(
        "badge.number > around.level", { $0.badge.number > $1.level },
        { one, other in one.badge.map { $0.number > other.level } ?? false })
    case 4:
      .init(
        "photo == nil || around.badge != nil", { $0.photo == nil || $1.badge != nil },
        { $0.photo == nil || $1.badge != nil })
    default:
      .init(
        "pilgrims.any { level == around.level }", { one, other in one.pilgrims.any { $0.level == other.level } },
        { one, other in one.pilgrims.contains { $0.level == other.level } })
    }
  }

  static func key(_ random: inout SeededRandom) -> GeneratedKey<Pilgrim> {
    switch random.below(8) {
    case 0: .init("level", { $0.sorted(by: \.level, $1, nils: $2) }, { $0.level })
    case 1: .init("initial", { $0.sorted(by: \.initial, $1, nils: $2) }, bytes: { $0.initial?.bytes })
    case 2: .init("mean", { $0.sorted(by: \.mean, $1, nils: $2) }, { $0.mean })
    case 3: .init("badge.number", { $0.sorted($1, nils: $2) { $0.badge.number } }, { $0.badge?.number })
    case 4:
      .init(
        "badge.code.ignoringCase", { $0.sorted($1, nils: $2) { $0.badge.code.ignoringCase } },
        bytes: { ($0.badge?.code).map(PlainFold.anyCase.folded) })
    case 5: .init("guided.level", { $0.sorted($1, nils: $2) { $0.guided.level } }, { $0.guided?.level })
    case 6:
      .init("host.badge.number", { $0.sorted($1, nils: $2) { $0.host.badge.number } }, { $0.host?.badge?.number })
    default:
      .init(
        "guided.pilgrims.count", { $0.sorted($1, nils: $2) { $0.guided.pilgrims.count } },
        { $0.guided?.pilgrims.count ?? 0 })
    }
  }
}
