import EntityClient
import EntityJSON
import Foundation
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Objects that are updated by hand are found and written in batches, with the result that each has by itself.
@Suite struct HandBatchTests {
  private func store(_ statements: RunStatements? = nil, rowsInBatch: Int = 256) throws -> EntityStore {
    try EntityStore([Scout.self, Tent.self, Whistle.self], rowsInBatch: rowsInBatch, telling: statements)
  }

  /// - Parameter others: Further keys of a scout as JSON.
  private func scouts(_ range: Range<Int>, age: Int = 10, _ others: (Int) -> String = { _ in "" }) throws -> JSONValue {
    let elements = range.map { number in
      #"{"id":\#(number),"name":"Scout \#(number)","age":\#(age),"tent":{"id":\#(1_000 + number),"color":"red"}"#
        + others(number) + "}"
    }
    return try JSONValue(parsing: Data("[\(elements.joined(separator: ","))]".utf8))
  }

  @Test func `a list takes a few statements for each batch`() async throws {
    let statements = RunStatements()
    let store = try store(statements)
    _ = try await store.receive(Scout.self, try scouts(0..<2))
    _ = statements.take()
    let counts = try await store.receive(Scout.self, try scouts(0..<1_000)).counts
    #expect(counts.inserted == 998)
    #expect(counts.unchanged == 2)
    #expect(statements.take().count < 100)
    #expect(try await store.receive(Scout.self, try scouts(0..<1_000, age: 11)).counts.updated == 1_000)
    #expect(statements.take().count < 100)
    #expect(try await store.receive(Scout.self, try scouts(0..<1_000, age: 11)).counts.rowsWritten == 0)
    #expect(statements.take().count < 40)
    let ages = try await store.read { try $0.fetch(Scout.all).map { $0.age + ($0.tent?.uid ?? 0) - $0.uid } }
    #expect(ages == Array(repeating: 1_011, count: 1_000))
  }

  @Test func `an object that gets its row on the way is found`() async throws {
    let statements = RunStatements()
    let store = try store(statements)
    // The whistle is declared: its row, and a placeholder of the scout that it names, are written at once.
    let payload = try scouts(0..<64) { $0 < 32 ? #","whistle":{"id":\#($0),"owner":\#(63 - $0)}"# : "" }
    // The first unit leases row ids in a transaction of its own.
    try await store.background { _ in }
    _ = statements.take()
    #expect(try await store.receive(Scout.self, payload).counts.inserted == 64)
    // One unit: no batch failed.
    #expect(statements.take().filter { $0.hasPrefix("BEGIN IMMEDIATE") }.count == 1)
    let names = try await store.read { try $0.fetch(Scout.all.sorted(by: \.uid)).map(\.name) }
    #expect(names == (0..<64).map { "Scout \($0)" })
    let owners = try await store.read { try $0.fetch(Whistle.all.sorted(by: \.uid)).map { $0.owner?.uid } }
    #expect(owners == (0..<32).map { 63 - $0 })
    #expect(try await store.receive(Scout.self, payload).counts.rowsWritten == 0)
  }

  @Test func `values that are unique change places within a batch`() async throws {
    let store = try store()
    func scouts(_ badges: [String]) -> JSONValue {
      JSONValue(badges.enumerated().map { ["id": JSONValue($0.offset), "badge": JSONValue($0.element)] as JSONValue })
    }
    let letters = (0..<20).map { "\($0)" }
    _ = try await store.receive(Scout.self, scouts(letters))
    let turned = Array(letters.dropFirst()) + letters.prefix(1)
    #expect(try await store.receive(Scout.self, scouts(turned)).counts.updated == 20)
    #expect(try await store.read { try $0.fetch(Scout.all.sorted(by: \.uid)).map(\.badge) } == turned)
    let equal = scouts(letters.map { "\($0)x" }.dropLast() + ["0x"])
    let error = await #expect(throws: StoreError.self) { try await store.receive(Scout.self, equal) }
    #expect(error?.kind == .uniqueViolation)
    #expect(error?.message.hasPrefix("Object 19 of the response") == true, "\(error?.message ?? "-")")
  }

  @Test func `edits stay where their objects are written with others`() async throws {
    let store = try store()
    _ = try await store.receive(Scout.self, try scouts(0..<30))
    try await MainActor.run {
      let scout = try #require(try store.main.fetch(Scout.where { $0.uid == 7 }).first)
      scout.age = 99
      try store.main.save()
    }
    #expect(try await store.receive(Scout.self, try scouts(0..<30, age: 12)).counts.updated == 29)
    let ages = try await store.read { try $0.fetch(Scout.all.sorted(by: \.uid)).map(\.age) }
    #expect(ages == (0..<30).map { $0 == 7 ? 99 : 12 })
  }
}

@Entity final class Scout {
  @UID @Key("id") var uid: Int
  var name: String = ""
  var age: Int = 0
  @Unique var badge: String?
  var tent: Tent?
  var whistle: Whistle?
}

extension Scout: RemoteEntity {
  static var basePath: String { "scouts" }

  func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    try response.assign("age", to: &age)
    try response.assign("badge", to: &badge)
    try response.assign("tent", to: &tent)
    try response.assign("whistle", to: &whistle)
  }
}

@Entity final class Tent {
  @UID @Key("id") var uid: Int
  var color: String = ""
}

extension Tent: RemoteEntity {
  static var basePath: String { "tents" }

  func update(with response: ResponseObject) throws { try response.assign("color", to: &color) }
}

@Entity final class Whistle {
  @UID @Key("id") var uid: Int
  var owner: Scout?
}

extension Whistle: RemoteEntity {
  static var basePath: String { "whistles" }
}
