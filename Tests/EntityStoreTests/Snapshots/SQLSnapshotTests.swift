import Foundation
import Testing

@testable import EntityStore

/// The SQL that the documentation shows beneath a call is the SQL that the call runs.
@MainActor
final class SQLSnapshotTests {
  private let test: TestStore
  private let trace = StatementTrace()
  private let shown: [String: [ShownCall]]
  /// The calls that were run.
  private var tried: Set<String> = []
  var main: EntityContext { test.store.main }

  init() throws {
    test = try TestStore(
      .memory,
      [
        ShotUser.self, ShotMember.self, ShotPost.self, ShotTag.self, ShotAddress.self,
        ShotMessage.self, ShotPassport.self, ShotAccount.self, ShotProfile.self, ShotBadge.self,
      ])
    shown = Dictionary(grouping: try ShownCall.all(), by: \.call)
  }

  @Test func `each call runs the SQL that its documentation shows`() async throws {
    try await test.store.background { context in
      let users = try (1...2).map { number in
        let user = try context.insert(ShotUser.self)
        user.uid = number
        return user
      }
      let post = try context.insert(ShotPost.self)
      (post.uid, post.author) = (1, users[0])
    }
    // First, while no author has an object.
    try entityQueryPrefetching()
    try rawAndJSONValues()
    try entityPredicate()
    try entityQueryComposing()
    try entityQuerySortingText()
    try entityQuery()
    try wholeEntities()
    try groupedQuery()
    try queryAggregates()
    try arithmetic()
    try collatedText()
    try mixedOptionals()
    try queryValue()
    try queryExpression()
    try foldedText()
    try queryLazyValue()
    try queryLink()
    try queryList()
    try rawOrder()
    try unrecognizedValues()
    try coverage()
    try textConditions()
    try searchPattern()
    try valueQuery()
    try entityContextFetching()
    try entityContextFinding()
    try entityContextPaging()
    try entityContextValues()
    try await changes()
    #expect(
      Set(shown.keys).subtracting(tried).isEmpty, "the documentation shows calls that no test runs")
  }

  private func check(_ call: String, _ statements: [String]) {
    tried.insert(call)
    let all = shown[call] ?? []
    #expect(!all.isEmpty, "no documentation shows \(call)")
    for shown in all where !shown.isShown(statements, of: statements.count) {
      Issue.record("\(shown.file), \(call): \(statements), not \(shown.sql)")
    }
  }

  func conditions<E: ManagedEntity>(
    _ call: String, _ conditions: [(QueryRow<E>) -> EntityPredicate]
  ) throws {
    check(
      call,
      try conditions.map { condition in
        try trace.sql(on: main.connection) { _ = try main.count(E.where(condition)) }
      })
  }

  func user(_ call: String, _ all: ((QueryRow<ShotUser>) -> EntityPredicate)...) throws {
    try conditions(call, all)
  }
  func member(_ call: String, _ all: ((QueryRow<ShotMember>) -> EntityPredicate)...) throws {
    try conditions(call, all)
  }
  func post(_ call: String, _ all: ((QueryRow<ShotPost>) -> EntityPredicate)...) throws {
    try conditions(call, all)
  }

  func account(_ call: String, _ all: ((QueryRow<ShotAccount>) -> EntityPredicate)...) throws {
    try conditions(call, all)
  }
  func message(_ call: String, _ all: ((QueryRow<ShotMessage>) -> EntityPredicate)...) throws {
    try conditions(call, all)
  }

  func number<V: AttributeValue>(
    _ call: String, _ value: (QueryRow<ShotPost>) -> QueryValue<V>
  ) throws {
    check(
      call,
      [
        try trace.sql(on: main.connection) {
          let _: [V] = try main.fetch(ShotPost.all.select(value))
        }
      ])
  }

  func group<X: QueryExpression>(_ call: String, _ value: (QueryGroup<ShotUser>) -> X)
    throws
  {
    check(
      call, [try trace.sql(on: main.connection) { _ = try main.aggregate(ShotUser.all, value) }])
  }

  func query<T>(_ call: String, _ run: (EntityContext) throws -> T) throws {
    check(call, [try trace.sql(on: main.connection) { _ = try run(main) }])
  }

  /// In a unit of work.
  private func changes() async throws {
    let trace = trace
    try await test.store.background(as: .server) { context in
      let last = try #require(try context.fetchOne(ShotUser.all.reversed()))
      last.photo = Data([1])
      let account = try context.insert(ShotAccount.self)
      (account.uid, account.owner) = (1, last)
    }
    let statements: [(call: String, sql: String)] = try await test.store.background { context in
      func sql(_ call: String, _ body: () throws -> Void) throws -> (String, String) {
        (call, try trace.sql(on: context.connection, body))
      }
      func set(_ call: String, _ changes: (inout RowChanges<ShotUser>) throws -> Void) throws -> (String, String) {
        try sql(call) { try context.update(ShotUser.all, changes) }
      }
      let ada = try #require(try context.fetchOne(ShotUser.all))
      return [
        try sql(#"`context.update(Post.where { $0.isRead == false }) { $0.set(\.views) { $0.views + 1 } }`"#) {
          try context.update(ShotPost.where { $0.isRead == false }) { $0.set(\.views) { $0.views + 1 } }
        },
        try set(#"`$0.set(\.city, to: "Oslo")`"#) { $0.set(\.city, to: "Oslo") },
        try set(#"`$0.set(\.photo, to: nil)`"#) { $0.set(\.photo, to: nil) },
        try set(#"`$0.set(\.city) { $0.boss.city }`"#) { $0.set(\.city) { $0.boss.city } },
        try set(#"`$0.set(\.city) { $0.name }`"#) { $0.set(\.city) { $0.name } },
        try set(#"`$0.set(\.boss, to: ada)`"#) { $0.set(\.boss, to: ada) },
        try sql(#"`$0.set(\.owner, to: ada)`"#) { try context.update(ShotAccount.all) { $0.set(\.owner, to: ada) } },
        try sql("In a unit of work: `context.delete(User.where { $0.age > 90 })`") {
          try context.delete(ShotUser.where { $0.age > 90 })
        },
      ]
    }
    for (call, sql) in statements { check(call, [sql]) }
  }
}
