import Foundation
import Testing

@testable import EntityStore

// Queries, links and lists, by the file whose documentation shows the calls.

extension SQLSnapshotTests {
  func entityQueryComposing() throws {
    let adults = ShotUser.where { $0.age > 21 }
    try query("`User.where { $0.age > 21 }.where { $0.email == nil }`") {
      try $0.fetch(ShotUser.where { $0.age > 21 }.where { $0.email == nil })
    }
    try query(
      #"`User.all.sorted(by: \.age).limited(to: 10).where { $0.email == nil }`, of the ten youngest ones"#
    ) { try $0.fetch(ShotUser.all.sorted(by: \.age).limited(to: 10).where { $0.email == nil }) }
    try query("`adults.and(User.where { $0.email == nil })`") {
      try $0.fetch(adults.and(ShotUser.where { $0.email == nil }))
    }
    try query("`adults.or(User.where { $0.email == nil })`") {
      try $0.fetch(adults.or(ShotUser.where { $0.email == nil }))
    }
    try query("`User.where { $0.age > 21 }.inverted()`") {
      try $0.fetch(ShotUser.where { $0.age > 21 }.inverted())
    }
    try query(
      #"`Message.all.sorted(by: \.date, .descending).limited(to: 20).reversed()`, the last messages, the newest one last"#
    ) { try $0.fetch(ShotMessage.all.sorted(by: \.date, .descending).limited(to: 20).reversed()) }
    try query(#"`User.all.sorted(by: \.age).unsorted()`"#) {
      try $0.fetch(ShotUser.all.sorted(by: \.age).unsorted())
    }
    try post(
      "`$0.author.isIn(User.where { $0.age > 21 })`",
      { $0.author.isIn(ShotUser.where { $0.age > 21 }) })
    try user(
      #"`$0.posts.any(in: Post.where { $0.title.hasPrefix("A") })`"#,
      { $0.posts.any(in: ShotPost.where { $0.title.hasPrefix("A") }) })
  }

  func entityQueryPrefetching() throws {
    try query("`Post.all.prefetching { $0.author }`") {
      try $0.fetch(ShotPost.all.prefetching { $0.author })
    }
  }

  func entityQuerySortingText() throws {
    try query(#"`User.all.sorted(by: \.name, locale: Locale(identifier: "nb"))`"#) {
      try $0.fetch(ShotUser.all.sorted(by: \.name, locale: Locale(identifier: "nb")))
    }
    try query(#"`User.all.sorted { $0.address.city.collated(by: Locale(identifier: "nb")) }`"#) {
      try $0.fetch(ShotUser.all.sorted { $0.address.city.collated(by: Locale(identifier: "nb")) })
    }
    try query("`User.all.sorted { $0.name.ignoringCaseAndAccents }`") {
      try $0.fetch(ShotUser.all.sorted { $0.name.ignoringCaseAndAccents })
    }
  }

  func entityQuery() throws {
    try query("`User.all.including(.placeholders)`") {
      try $0.fetch(ShotUser.all.including(.placeholders))
    }
    try query(#"`User.where { $0.active == true }.sorted(by: \.age, .descending)`"#) {
      try $0.fetch(ShotUser.where { $0.active == true }.sorted(by: \.age, .descending))
    }
    try query(#"`User.all.sorted(by: \.email, nils: .last)`"#) {
      try $0.fetch(ShotUser.all.sorted(by: \.email, nils: .last))
    }
    try query("`User.all.sorted { $0.address.city }.sorted(.descending) { $0.posts.count }`") {
      try $0.fetch(ShotUser.all.sorted { $0.address.city }.sorted(.descending) { $0.posts.count })
    }
    try query(#"`User.all.sorted(by: \.age).limited(to: 10)`"#) {
      try $0.fetch(ShotUser.all.sorted(by: \.age).limited(to: 10))
    }
    try query("`User.where { $0.email == nil && $0.age > 21 }`") {
      try $0.fetch(ShotUser.where { $0.email == nil && $0.age > 21 })
    }
  }

  func wholeEntities() throws {
    try query(#"`User.all.sorted(by: \.role)`"#) { try $0.fetch(ShotUser.all.sorted(by: \.role)) }
    try query("`User.all.sorted { $0.role }`") { try $0.fetch(ShotUser.all.sorted { $0.role }) }
    try query("`Post.all.sorted(nils: .last) { $0.author.role }`") {
      try $0.fetch(ShotPost.all.sorted(nils: .last) { $0.author.role })
    }
    try query(#"`Member.all.sorted(by: \.role, nils: .last)`"#) {
      try $0.fetch(ShotMember.all.sorted(by: \.role, nils: .last))
    }
    try query("`User.all`") { try $0.fetch(ShotUser.all) }
    try query("`User.placeholders`") { try $0.fetch(ShotUser.placeholders) }
  }

  func groupedQuery() throws {
    try query("`User.all.grouped { $0.city }.select { $0.count }`") {
      let _: [Int] = try $0.fetch(ShotUser.all.grouped { $0.city }.select { $0.count })
    }
    try query("`User.all.grouped { $0.city }.select { ($0.key, $0.count) }`") {
      let _: [(String?, Int)] = try $0.fetch(ShotUser.all.grouped { $0.city }.select { ($0.key, $0.count) })
    }
    try query("`User.all.grouped { $0.city }.having { $0.count > 3 }.select { $0.key }`") {
      let _: [String?] = try $0.fetch(ShotUser.all.grouped { $0.city }.having { $0.count > 3 }.select { $0.key })
    }
    try query("`User.all.grouped { $0.city }.sorted(.descending) { $0.count }.select { $0.key }`") {
      let _: [String?] = try $0.fetch(
        ShotUser.all.grouped { $0.city }.sorted(.descending) { $0.count }.select { $0.key })
    }
    try query("`User.all.grouped { $0.city }.select { ($0.key, $0.count, $0.average { $0.age }) }`") {
      let _: [(String?, Int, Double?)] = try $0.fetch(
        ShotUser.all.grouped { $0.city }.select { ($0.key, $0.count, $0.average { $0.age }) })
    }
    try query(
      "`User.all.grouped { ($0.city, $0.isActive) }.select { ($0.key.0, $0.key.1, $0.count) }`"
    ) {
      let _: [(String?, Bool, Int)] = try $0.fetch(
        ShotUser.all.grouped { ($0.city, $0.isActive) }.select { ($0.key.0, $0.key.1, $0.count) })
    }
  }

  func queryAggregates() throws {
    try group("`$0.count`", { $0.count })
    try group("`$0.count { $0.email }`", { $0.count { $0.email } })
    try group("`$0.distinctCount { $0.city }`", { $0.distinctCount { $0.city } })
    try group("`$0.min { $0.age }`", { $0.min { $0.age } })
    try group("`$0.min { $0.score }`", { $0.min { $0.score } })
    try group("`$0.max { $0.age }`", { $0.max { $0.age } })
    try group("`$0.max { $0.score }`", { $0.max { $0.score } })
    try group("`$0.sum { $0.age }`", { $0.sum { $0.age } })
    try group("`$0.average { $0.age }`", { $0.average { $0.age } })
  }

  func queryExpression() throws {
    try query("The id of the object: `User.all.select { ($0.entityID, $0.name) }`") {
      let _: [(EntityID<ShotUser>, String)] = try $0.fetch(
        ShotUser.all.select { ($0.entityID, $0.name) })
    }
  }

  func queryLink() throws {
    let address = try main.insert(ShotAddress.self)
    let someone = try main.insert(ShotUser.self)
    let ids = [someone.entityID, EntityID<ShotUser>(pk: 1)]
    main.rollback()
    try user(#"`$0.address.city == "Oslo"`"#, { $0.address.city == "Oslo" })
    try user(#"`$0.passport.number == "X1"`"#, { $0.passport.number == "X1" })
    try user(#"`$0.boss.address.city == "Oslo"`"#, { $0.boss.address.city == "Oslo" })
    try user("`$0.boss.posts.isEmpty`", { $0.boss.posts.isEmpty })
    try account(#"`$0.owner.name == "Ada"`"#, { $0.owner.name == "Ada" })
    try account(#"`$0.owner.address.city == "Oslo"`"#, { $0.owner.address.city == "Oslo" })
    try account("`$0.owner.posts.count > 3`", { $0.owner.posts.count > 3 })
    try message(#"`$0.account.owner.name == "Ada"`"#, { $0.account.owner.name == "Ada" })
    try user(
      "`$0.address == address`, `$0.address == nil`", { $0.address == address },
      { $0.address == nil })
    try user("`$0.address != nil`", { $0.address != nil })
    try post("`$0.author == someone.entityID`", { $0.author == someone.entityID })
    try post("`$0.author != someone.entityID`", { $0.author != someone.entityID })
    try post("`$0.author == $0.reviewer`", { $0.author == $0.reviewer })
    try post("`$0.author != $0.reviewer`", { $0.author != $0.reviewer })
    try post("`$0.author.isIn(ids)`", { $0.author.isIn(ids) })
  }

  func queryList() throws {
    let id = EntityID<ShotTag>(pk: 1)
    try user(
      #"`$0.posts.any { $0.title.hasPrefix("A") }`"#, { $0.posts.any { $0.title.hasPrefix("A") } })
    try user(#"`$0.posts.all { $0.title != "" }`"#, { $0.posts.all { $0.title != "" } })
    try user("`$0.posts.isEmpty`", { $0.posts.isEmpty })
    try user("`$0.posts.count > 3`", { $0.posts.count > 3 })
    let object = try main.insert(ShotTag.self)
    main.rollback()
    try post("`$0.tags.contains(tag)`", { $0.tags.contains(object) })
    try post("`$0.tags.contains(id)`", { $0.tags.contains(id) })
  }

  func searchPattern() throws {
    try query("`Post.where { $0.matches(\"café nor\") }`") {
      try $0.fetch(ShotPost.where { $0.matches("café nor") })
    }
    try query("`Post.where { $0.matches(.phrase(\"rock and roll\")) }`") {
      try $0.fetch(ShotPost.where { $0.matches(.phrase("rock and roll")) })
    }
    try query("`Post.where { $0.matches(\"café\") }.sorted(byRelevanceTo: \"café\")`") {
      try $0.fetch(ShotPost.where { $0.matches("café") }.sorted(byRelevanceTo: "café"))
    }
    try query("`Post.all.sorted(byRelevanceTo: .phrase(\"rock and roll\"))`") {
      try $0.fetch(ShotPost.all.sorted(byRelevanceTo: .phrase("rock and roll")))
    }
  }

  func valueQuery() throws {
    try query("`User.all.select { $0.city }`") {
      let _: [String?] = try $0.fetch(ShotUser.all.select { $0.city })
    }
    try query("`User.all.select { $0.city }.distinct()`") {
      let _: [String?] = try $0.fetch(ShotUser.all.select { $0.city }.distinct())
    }
    try query(#"`User.all.sorted(by: \.age).select { $0.city }.distinct()`"#) {
      let _: [String?] = try $0.fetch(ShotUser.all.sorted(by: \.age).select { $0.city }.distinct())
    }
    try query("`User.all.select { $0.city }.distinct().limited(to: 3)`") {
      let _: [String?] = try $0.fetch(ShotUser.all.select { $0.city }.distinct().limited(to: 3))
    }
    try query(#"`User.all.sorted(by: \.age).select { ($0.name, $0.address.city) }`"#) {
      let _: [(String, String?)] = try $0.fetch(
        ShotUser.all.sorted(by: \.age).select { ($0.name, $0.address.city) })
    }
  }

  func entityContextFetching() throws {
    try query("`context.fetch(User.where { $0.age > 21 })`") { try $0.fetch(ShotUser.where { $0.age > 21 }) }
    try query("`context.fetch(User.self)`") { try $0.fetch(ShotUser.self) }
    try query("`context.fetch(User.self, uid: 42)`") { try $0.fetch(ShotUser.self, uid: 42) }
    try query("`context.count(User.where { $0.age > 21 })`") { try $0.count(ShotUser.where { $0.age > 21 }) }
    try query("`context.count()`, by a statement for each entity") { try $0.count() }
  }

  func entityContextFinding() throws {
    try query(#"`context.fetchOne(User.all.sorted(by: \.age))`"#) {
      try $0.fetchOne(ShotUser.all.sorted(by: \.age))
    }
    try query("`context.exists(User.where { $0.age > 90 })`") {
      try $0.exists(ShotUser.where { $0.age > 90 })
    }
    try query(#"`context.ids(User.all.sorted(by: \.age))`"#) {
      try $0.ids(ShotUser.all.sorted(by: \.age))
    }
  }

  func entityContextValues() throws {
    try query("`context.fetch(User.all.select { $0.city })`") {
      let _: [String?] = try $0.fetch(ShotUser.all.select { $0.city })
    }
    try query("`context.aggregate(User.all) { $0.max { $0.age } }`") {
      let _: Int? = try $0.aggregate(ShotUser.all) { $0.max { $0.age } }
    }
    try query("`context.aggregate(User.all) { ($0.count, $0.max { $0.age }) }`") {
      let _: (Int, Int?) = try $0.aggregate(ShotUser.all) { ($0.count, $0.max { $0.age }) }
    }
  }

  func entityContextPaging() throws {
    let next = try #require(try main.fetch(ShotUser.all.sorted(by: \.age), page: 1).next)
    try query(#"`context.fetch(User.all.sorted(by: \.age), page: 50, after: next)`"#) {
      try $0.fetch(ShotUser.all.sorted(by: \.age), page: 50, after: next)
    }
  }
}
