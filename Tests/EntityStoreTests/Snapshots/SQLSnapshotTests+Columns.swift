import Foundation
import Testing

@testable import EntityStore

// Conditions on columns, and values of them, by the file whose documentation shows the calls.

extension SQLSnapshotTests {
  func coverage() throws {
    try conditions(#"`$0.isLoaded(\.bio)`"#, [{ (row: QueryRow<ShotProfile>) in row.isLoaded(\.bio) }])
    try conditions(#"`$0.isLoaded(\.badge)`"#, [{ (row: QueryRow<ShotProfile>) in row.isLoaded(\.badge) }])
    try user(#"`$0.isLoaded(\.name)`"#, { $0.isLoaded(\.name) })
  }

  func rawAndJSONValues() throws {
    try user("`$0.role == .admin`", { $0.role == .admin })
    try user("`$0.role != .admin`", { $0.role != .admin })
    try user("`$0.boss.role == .admin`", { $0.boss.role == .admin })
    try user(#"`$0.boss.tags == ["new"]`"#, { $0.boss.tags == ["new"] })
    try account("`$0.owner.role == .admin`", { $0.owner.role == .admin })
    try account(#"`$0.owner.tags == ["new"]`"#, { $0.owner.tags == ["new"] })
    try member("`$0.role != .admin`", { $0.role != .admin })
    try member("`$0.role.isIn([.admin, nil])`", { $0.role.isIn([.admin, nil]) })
    try user(
      "`$0.permissions.contains(.write)`; rows without a value contain nothing, not even `[]`",
      { $0.permissions.contains(.write) })
    try member(
      "`$0.permissions.contains(.write)`; rows without a value contain nothing, not even `[]`",
      { $0.permissions.contains(.write) })
    try user(
      #"`$0.tags == ["new"]`, compared as JSON with sorted keys; `$0.settings == nil`"#,
      { $0.tags == ["new"] }, { $0.settings == nil })
    try user(
      #"`$0.tags != ["new"]`, `$0.settings != nil`"#, { $0.tags != ["new"] }, { $0.settings != nil }
    )
  }

  func entityPredicate() throws {
    try user("`$0.age > 21 && $0.email == nil`", { $0.age > 21 && $0.email == nil })
    try user("`$0.age > 21 || $0.email == nil`", { $0.age > 21 || $0.email == nil })
    try user("`!($0.age > 21)`", { !($0.age > 21) })
  }

  func arithmetic() throws {
    try number("`$0.views + 1`", { $0.views + 1 })
    try number("`$0.views - 1`", { $0.views - 1 })
    try number("`$0.price * 1.1`", { $0.price * 1.1 })
    try number("`$0.likes + $0.shares`", { $0.likes + $0.shares })
    try number("`$0.length - $0.read`", { $0.length - $0.read })
    try number("`$0.price * $0.weight`", { $0.price * $0.weight })
  }

  func collatedText() throws {
    let locale = Locale(identifier: "nb")
    try user(
      #"`$0.name.collated(by: Locale(identifier: "nb")) >= "Å"`"#,
      { $0.name.collated(by: Locale(identifier: "nb")) >= "Å" })
    try user(#"`$0.name.collated(by: locale) < "M"`"#, { $0.name.collated(by: locale) < "M" })
  }

  func mixedOptionals() throws {
    try user("`$0.boss.name == $0.name`", { $0.boss.name == $0.name })
    try user("`$0.age < $0.boss.age`, where one of the two is optional", { $0.age < $0.boss.age })
    try user("`$0.boss.age < $0.age`", { $0.boss.age < $0.age })
  }

  func queryValue() throws {
    try user(
      "A value of Bool is a condition by itself: `$0.isActive && $0.age > 21`",
      { $0.isActive && $0.age > 21 })
    try user("`$0.age == 21`, `$0.email == nil`", { $0.age == 21 }, { $0.email == nil })
    try user(
      #"`$0.email != "a@example.com"`, true for rows without one"#, { $0.email != "a@example.com" })
    try user(
      "`$0.firstName == $0.lastName`, true where both are nil", { $0.firstName == $0.lastName })
    try user("`$0.firstName != $0.lastName`", { $0.firstName != $0.lastName })
    try user(
      "`$0.name == $0.boss.name`, where one of the two is optional", { $0.name == $0.boss.name })
    try user("`$0.name != $0.boss.name`", { $0.name != $0.boss.name })
    try user(
      #"`$0.city.isIn(["Oslo", "Rome"])`, of any number"#, { $0.city.isIn(["Oslo", "Rome"]) })
    try user("`$0.name.isEmpty`; a row without a text is not found", { $0.name.isEmpty })
    try user(#"`$0.role.rawValue.hasPrefix("ad")`"#, { $0.role.rawValue.hasPrefix("ad") })
    try member(#"`$0.role.rawValue.hasPrefix("ad")`, of an optional"#, { $0.role.rawValue.hasPrefix("ad") })
    try user("`$0.age < 21`", { $0.age < 21 })
    try user("`$0.age <= 21`", { $0.age <= 21 })
    try user("`$0.age > 21`", { $0.age > 21 })
    try user("`$0.age >= 21`", { $0.age >= 21 })
    try user("`$0.age.isIn(18...65)`", { $0.age.isIn(18...65) })
    try user("`$0.age.isIn(18..<65)`", { $0.age.isIn(18..<65) })
    try member("`$0.score < 2.5`, of an optional; a row without a value is not found", { $0.score < 2.5 })
    try user("`$0.length < $0.limit`", { $0.length < $0.limit })
    try user("`$0.length <= $0.limit`", { $0.length <= $0.limit })
    try user("`$0.length > $0.limit`", { $0.length > $0.limit })
    try user("`$0.length >= $0.limit`", { $0.length >= $0.limit })
    try member("`$0.length < $0.limit`", { $0.length < $0.limit })
    try member("`$0.length <= $0.limit`", { $0.length <= $0.limit })
    try member("`$0.length > $0.limit`", { $0.length > $0.limit })
    try member("`$0.length >= $0.limit`", { $0.length >= $0.limit })
  }

  func foldedText() throws {
    try user(#"`$0.name.ignoringASCIICase == "ada"`"#, { $0.name.ignoringASCIICase == "ada" })
    try user(#"`$0.name.ignoringCase == "ÉMILE"`"#, { $0.name.ignoringCase == "ÉMILE" })
    try user(
      #"`$0.name.ignoringCaseAndAccents.contains("emile")`"#,
      { $0.name.ignoringCaseAndAccents.contains("emile") })
    try user(#"`$0.name.ignoringCase == "émile"`"#, { $0.name.ignoringCase == "émile" })
    try user(
      #"`$0.name.ignoringCase != "émile"`, true for rows without a name"#,
      { $0.name.ignoringCase != "émile" })
    try user(
      "`$0.name.ignoringCase == $0.email.ignoringCase`, true where both are nil",
      { $0.name.ignoringCase == $0.email.ignoringCase })
    try user(
      "`$0.name.ignoringCase != $0.email.ignoringCase`",
      { $0.name.ignoringCase != $0.email.ignoringCase })
    try user(
      #"`$0.city.ignoringCase.isIn(["oslo", "rome"])`, of any number"#,
      { $0.city.ignoringCase.isIn(["oslo", "rome"]) })
    try user(#"`$0.name.ignoringCase.hasPrefix("É")`"#, { $0.name.ignoringCase.hasPrefix("É") })
    try user(#"`$0.name.ignoringCase.hasSuffix("SON")`"#, { $0.name.ignoringCase.hasSuffix("SON") })
    try user(#"`$0.name.ignoringCase.contains("ad")`"#, { $0.name.ignoringCase.contains("ad") })
  }

  func queryLazyValue() throws {
    try user(
      "`$0.photo == nil`, which reads no photo: SQLite finds the type of a value in the head of its row",
      { $0.photo == nil })
    try user("`$0.photo != nil`, which reads none either", { $0.photo != nil })
    try user("`$0.boss.photo == nil`", { $0.boss.photo == nil })
    try account("`$0.owner.photo == nil`", { $0.owner.photo == nil })
    try query("`User.all.select { ($0.name, $0.photo) }`") {
      let _: [(String, Data?)] = try $0.fetch(ShotUser.all.select { ($0.name, $0.photo) })
    }
  }

  func rawOrder() throws {
    try user(
      "`$0.priority < .high`, by the raw values, as a sort key is; a row without a value is not found",
      { $0.priority < .high })
    try member(
      "`$0.priority < .high`, by the raw values, as a sort key is; a row without a value is not found",
      { $0.priority < .high })
    try user("`$0.priority <= .high`, by the raw values, as a sort key is", { $0.priority <= .high })
    try member("`$0.priority <= .high`, by the raw values, as a sort key is", { $0.priority <= .high })
    try user("`$0.priority > .high`, by the raw values, as a sort key is", { $0.priority > .high })
    try member("`$0.priority > .high`, by the raw values, as a sort key is", { $0.priority > .high })
    try user("`$0.priority >= .high`, by the raw values, as a sort key is", { $0.priority >= .high })
    try member("`$0.priority >= .high`, by the raw values, as a sort key is", { $0.priority >= .high })
  }

  func unrecognizedValues() throws {
    try user(
      "`$0.role.isUnrecognized`: the server sent a raw value that no case has, and the property reads as its default",
      { $0.role.isUnrecognized })
    try member(
      "`$0.role.isUnrecognized`: the server sent a raw value that no case has, and the property reads as its default",
      { $0.role.isUnrecognized })
  }

  func textConditions() throws {
    try user(
      #"`$0.name.hasPrefix("A")`, which finds rows by an index of the column"#,
      { $0.name.hasPrefix("A") })
    try user(#"`$0.name.hasSuffix("son")`"#, { $0.name.hasSuffix("son") })
    try user(#"`$0.name.contains("100%")`"#, { $0.name.contains("100%") })
  }
}
