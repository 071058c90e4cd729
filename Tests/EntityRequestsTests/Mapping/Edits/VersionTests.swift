import EntityClient
import EntityTesting
import Foundation
import TestSchema
import Testing

/// Objects of a response that are older than their row.
@Suite struct VersionTests {
  private let store: EntityStore

  init() throws { store = try EntityStore(.inMemory, entities: reportEntities, busyTimeout: .seconds(60)) }

  private static let whole: JSONObject = [
    "id": 1, "title": "A", "text": "a", "revision": 5, "author": ["id": 7, "name": "Ada"],
    "findings": [["id": 10, "text": "f"]], "topics": [20], "seal": ["color": "s"],
  ]

  @Test(arguments: ReportKind.allCases)
  func `an older object changes nothing`(_ kind: ReportKind) async throws {
    _ = try await kind.upsert(Self.whole.value, in: store)
    let before = try await kind.read(store)
    #expect(before == "A a 5 7 [10] [20] s")
    let (counts, skipped) = try await kind.upsert(
      [
        "id": 1, "title": "old", "text": "a", "revision": 4, "author": ["id": 8, "name": "Bo"],
        "findings": [["id": 10, "text": "nested"], ["id": 11]], "topics": [["id": 21, "name": "new"]],
        "seal": ["color": "t"],
      ], in: store)
    #expect(try await kind.read(store) == before)
    #expect(counts.unchanged == 1)
    #expect(counts.updated == 0)
    // It is told once, with the properties that differ.
    #expect(skipped.map(\.reason) == [.olderVersion])
    let properties = Set(skipped.first?.properties ?? [])
    #expect(properties.isSuperset(of: ["title", "revision", "author", "topics"]), "\(properties)")
    #expect(!properties.contains("text"))
    #expect(skipped.first?.uid == "1")
    #expect(skipped.description.contains("the store has a newer version of it than the response"))
    // The objects in it say themselves how new they are.
    let nested = try await store.read { context in
      (
        try context.fetch(Gardener.self, uid: 8)?.name, try context.fetch(Finding.self, uid: 10)?.text,
        try context.fetch(Finding.self, uid: 11)?.report == nil, try context.fetch(ReportTopic.self, uid: 21)?.name
      )
    }
    #expect(nested == ("Bo", "nested", true, "new"))
  }

  @Test(arguments: ReportKind.allCases)
  func `an equal, a newer and an unknown version are taken`(_ kind: ReportKind) async throws {
    _ = try await kind.upsert(["id": 1, "title": "A", "revision": 5], in: store)
    // Another part of the same version.
    #expect(try await kind.upsert(["id": 1, "text": "b", "revision": 5], in: store).1.isEmpty)
    #expect(try await kind.read(store) == "A b 5 - [] [] -")
    _ = try await kind.upsert(["id": 1, "title": "C", "revision": 6], in: store)
    _ = try await kind.upsert(["id": 1, "text": "d"], in: store)
    #expect(try await kind.read(store) == "C d 6 - [] [] -")
    _ = try await kind.upsert(["id": 1, "text": "e", "revision": nil], in: store)
    #expect(try await kind.read(store) == "C e - - [] [] -")
    // Nothing says any more how new the row is.
    _ = try await kind.upsert(["id": 1, "text": "f", "revision": 1], in: store)
    #expect(try await kind.read(store) == "C f 1 - [] [] -")
  }

  @Test func `a placeholder is filled whatever its version is`() async throws {
    _ = try await Finding.upsert(from: ["id": 10, "report": 1], in: store)
    let response = try await Report.upsert(from: ["id": 1, "title": "A", "revision": -3], in: store)
    #expect(response.counts.inserted == 1)
    #expect(try await ReportKind.declared.read(store) == "A - -3 - [10] [] -")
  }

  /// One list may have the same object twice.
  @Test(arguments: ReportKind.allCases)
  func `the newest version of an object in one response stays`(_ kind: ReportKind) async throws {
    let (counts, skipped) = try await kind.upsert(
      [
        ["id": 1, "title": "new", "revision": 3], ["id": 1, "title": "old", "revision": 2],
        ["id": 1, "title": "newest", "revision": 4], ["id": 2, "title": "other", "revision": 1],
      ], in: store)
    #expect(try await kind.read(store) == "newest - 4 - [] [] -")
    #expect(counts.inserted == 2)
    // The last word of the response on the object was taken.
    #expect(skipped.isEmpty, "\(skipped)")
  }

  @Test(arguments: ReportKind.allCases)
  func `a local edit of the version property does not count as a version`(_ kind: ReportKind) async throws {
    _ = try await kind.upsert(["id": 1, "title": "A", "revision": 5], in: store)
    try await kind.edit(store, revision: 100)
    _ = try await kind.upsert(["id": 1, "title": "B", "revision": 6], in: store)
    #expect(try await kind.read(store) == "B - 100 - [] [] -")
    // The value of the server before the edit.
    let (_, skipped) = try await kind.upsert(["id": 1, "title": "old", "revision": 4], in: store)
    #expect(try await kind.read(store) == "B - 100 - [] [] -")
    #expect(skipped.map(\.reason).contains(.olderVersion))
  }

  @Test(arguments: ReportKind.allCases)
  func `an older object does not delete`(_ kind: ReportKind) async throws {
    _ = try await kind.upsert(["id": 1, "title": "A", "revision": 5], in: store)
    let (counts, skipped) = try await kind.upsert([["id": 1, "deleted": true, "revision": 4]], in: store)
    #expect(counts.deleted == 0)
    #expect(skipped.map(\.reason) == [.olderVersion])
    #expect(try await kind.read(store) != nil)
    #expect(try await kind.upsert([["id": 1, "deleted": true, "revision": 5]], in: store).0.deleted == 1)
    #expect(try await kind.read(store) == nil)
  }

  /// The list has the object, though in an older version: it is not missing.
  @Test func `an older object is not missing`() async throws {
    _ = try await Report.upsert(from: [["id": 1, "revision": 5], ["id": 2, "revision": 5]], in: store)
    let counts = try await Report.upsert(
      from: [["id": 1, "revision": 4]], in: store, options: .deleteMissing(in: Report.all)
    ).counts
    #expect(counts.deleted == 1)
    #expect(try await ReportKind.declared.read(store) != nil)
  }

  /// An answer that was not taken has no word against an older request's answer with a newer version.
  @Test(arguments: ReportKind.allCases)
  func `an older version holds no other answer back`(_ kind: ReportKind) async throws {
    _ = try await kind.upsert(["id": 1, "title": "A", "revision": 5], in: store)
    let numbers = (store.core.requests.begin(), store.core.requests.begin())
    _ = try await kind.upsert(["id": 1, "title": "old", "revision": 4], in: store, numbers.1)
    _ = try await kind.upsert(["id": 1, "title": "B", "revision": 6], in: store, numbers.0)
    #expect(try await kind.read(store) == "B - 6 - [] [] -")
  }

  @Test(arguments: ReportKind.allCases)
  func `an upsert in a context heeds versions`(_ kind: ReportKind) async throws {
    _ = try await kind.upsert(["id": 1, "title": "A", "revision": 5], in: store)
    try await store.background { context in
      for object in [["id": 1, "title": "old", "revision": 4], ["id": 1, "text": "b", "revision": 5]] as [JSONObject] {
        switch kind {
        case .declared: _ = try context.upsert(Report.self, from: object)
        case .byHand: _ = try context.upsert(HandReport.self, from: object)
        }
      }
    }
    #expect(try await kind.read(store) == "A b 5 - [] [] -")
  }

  @Test @MainActor func `the main context compares with the value before an edit`() async throws {
    _ = try await Report.upsert(from: ["id": 1, "title": "A", "revision": 5], in: store)
    let main = store.main
    let report = try #require(try main.fetch(Report.self, uid: 1))
    report.revision = 100
    _ = try main.upsert(Report.self, from: ["id": 1, "title": "old", "revision": 4])
    #expect(report.title == "A")
    try await main.save()
    _ = try main.upsert(Report.self, from: ["id": 1, "title": "older", "revision": 3])
    #expect(report.title == "A")
    _ = try main.upsert(Report.self, from: ["id": 1, "title": "B", "revision": 6])
    #expect(report.title == "B")
    #expect(report.revision == 100)
  }

  // MARK: Types

  private func taken<E: AnyDraft>(
    _ type: E.Type, _ first: JSONValue, _ second: JSONValue, _ body: (JSONValue, String) -> JSONValue
  ) async throws -> Bool {
    _ = try await E.upsert(from: body(first, "first"), in: store)
    _ = try await E.upsert(from: body(second, "second"), in: store)
    return try await store.read { try $0.fetch(E.all).first?.title == "second" }
  }

  private func body(_ version: JSONValue, _ title: String) -> JSONValue {
    JSONObject(fields: [("id", 1), ("title", JSONValue(title)), ("at", version)]).value
  }

  @Test(
    arguments: [
      ("2024-03-01T12:00:00Z", "2024-03-01T11:59:59Z", false),
      ("2024-03-01T12:00:00Z", "2024-03-01T14:00:00+02:00", true),
      ("2024-03-01T12:00:00Z", "2024-03-01T12:00:00.001Z", true), (1_700_000_000, 1_699_999_999.5, false),
    ] as [(JSONValue, JSONValue, Bool)])
  func `dates are ordered`(_ first: JSONValue, _ second: JSONValue, _ isTaken: Bool) async throws {
    #expect(try await taken(DatedDraft.self, first, second, body) == isTaken)
  }

  @Test(arguments: [
    ("9.5", "10", true), ("10", "9.5", false), ("-2", "-3", false), ("-3", "-2", true), ("1.50", "1.5", true),
    ("1.5", "1.50", true), ("1e3", "999", false),
  ])
  func `decimals are ordered`(_ first: String, _ second: String, _ isTaken: Bool) async throws {
    #expect(try await taken(DecimalDraft.self, JSONValue(first), JSONValue(second), body) == isTaken)
  }

  @Test(arguments: [
    ("9223372036854775808", "9223372036854775807", false), ("9223372036854775807", "9223372036854775808", true),
    ("18446744073709551615", "9223372036854775809", false), ("7", "18446744073709551615", true), ("10", "9", false),
  ])
  func `integers past the signed range are ordered`(_ first: String, _ second: String, _ isTaken: Bool) async throws {
    let wasTaken = try await taken(CountedDraft.self, JSONValue(first), JSONValue(second)) { version, title in
      JSONObject(fields: [
        ("id", 1), ("title", JSONValue(title)), ("meta", JSONObject(fields: [("at", version)]).value),
      ]).value
    }
    #expect(wasTaken == isTaken)
  }

  @Test func `a text is no version`() async throws {
    let error = try await requestError { try await TaggedDraft.upsert(from: ["id": 1, "tag": "x"], in: store) }
    #expect(error.description.contains("must be a number or a date"), "\(error)")
  }

  @Test func `a version of another type is an error`() async throws {
    let error = try await requestError { try await Report.upsert(from: [["id": 1, "revision": "x"]], in: store) }
    #expect((error.underlying as? MappingError)?.property == "revision")
  }
}

/// Versions and the requests of objects.
@Suite(.client(entities: reportEntities)) struct VersionRequestTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  /// The clock of the app may be ahead: the server's word on the version counts.
  @Test @MainActor func `the answer to a request that sent the version is taken`() async throws {
    _ = try await Report.upsert(from: ["id": 1, "title": "A", "revision": 5])
    let report = try #require(try store.main.fetch(Report.self, uid: 1))
    report.title = "B"
    report.revision = 100
    try await store.main.save()
    try StubAdapter.current.on(.put, "/reports/1", .json(["id": 1, "title": "B!", "revision": 6]))
    let response = try await report.put(\.title, \.revision)
    #expect(response.skipped.isEmpty, "\(response.skipped)")
    #expect(report.title == "B!")
    #expect(report.revision == 6)
  }

  /// A list was faster than the answer, and is newer.
  @Test @MainActor func `an object that was made here takes the newer values`() async throws {
    let report = try store.main.insert(Report.self)
    report.title = "mine"
    try await store.main.save()
    _ = try await Report.upsert(from: ["id": 1, "title": "newer", "text": "list", "revision": 7])
    try StubAdapter.current.on(.post, "/reports", .json(["id": 1, "title": "mine", "text": "post", "revision": 6]))
    _ = try await report.post()
    #expect(try await store.read { try $0.count(Report.all) } == 1)
    #expect(report.uid == 1)
    #expect(report.text == "list")
    #expect(report.revision == 7)
  }
}
