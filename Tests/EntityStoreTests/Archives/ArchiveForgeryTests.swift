import EntityJSON
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Archives with a right checksum that say what no store says: each is refused, or makes a store that is sound.
struct ArchiveForgeryTests {
  private static let entities: [any ManagedEntity.Type] = TestStore.blog + TestStore.people + Mix.world

  /// An archive with edits, deletions, pairs that were taken out, placeholders and ordered lists.
  private func archive() async throws -> [JSONValue] {
    let test = try TestStore(.memory, Self.entities)
    try await test.store.background(as: .server) { context in
      let writer = try context.insert(Writer.self)
      writer.uid = 1
      for uid in 1...2 {
        let article = try context.insert(Article.self)
        (article.uid, article.title, article.author) = (uid, "a", writer)
        let tag = try context.insert(Tag.self)
        tag.uid = "t\(uid)"
        article.tags = [tag]
      }
      for uid in 1...3 { try context.insert(Person.self).uid = uid }
      let mix = try context.insert(Mix.self)
      mix.number = 1
      for list in MixList.allCases { try list.set(mix, [2, 1]) }
    }
    _ = try await test.store.core.unit { rows in try rows.row(rows.schema.model(Person.self), uid: .integer(7)) }
    try await test.store.background { context in
      let articles = try (1...2).map { try #require(try context.fetch(Article.self, uid: $0)) }
      (articles[0].title, articles[0].parent) = ("new", articles[1])
      articles[1].tags = try [#require(try context.fetch(Tag.self, uid: "t1"))]
      try context.insert(Person.self).name = "made here"
      try context.delete(#require(try context.fetch(Person.self, uid: 3)))
      for list in MixList.allCases { try list.edit(#require(try context.fetch(Mix.self, uid: 1))) { $0.reverse() } }
    }
    return try await test.store.archive().split(separator: 0x0A).dropLast().map { try JSONValue(parsing: Data($0)) }
  }

  private func archive(of lines: [JSONValue]) throws -> Data {
    var output = ArchiveOutput(nil)
    for line in lines { try output.line(line) }
    try output.endLine()
    return output.data
  }

  private func header(_ lines: [JSONValue], lastRow: Int64) throws -> JSONValue {
    let header = try ArchiveHeader(Data("\(lines[0])".utf8))
    return ArchiveHeader(firstRow: header.firstRow, lastRow: lastRow, names: header.names).line
  }

  /// Restores an archive into a store that has been used before, and goes on with it.
  ///
  /// - Returns: Why it was refused.
  private func restore(_ lines: [JSONValue], _ label: String) async throws -> StoreError? {
    let store = try EntityStore(.inMemory, entities: Self.entities)
    try await store.background(as: .server) { try $0.insert(Town.self).uid = 77 }
    do {
      try await store.restore(from: try archive(of: lines))
    } catch let error as StoreError {
      let kinds: [StoreError.Kind] = [
        .damagedArchive, .schemaMismatch, .unknownEntity, .uniqueViolation, .notAnArchive, .newerArchive,
      ]
      #expect(kinds.contains(error.kind), "\(label): \(error)")
      #expect(try await store.read { try $0.fetch(Town.all).map(\.uid) } == [77], "\(label)")
      return error
    }
    #expect(try await store.check(.full).isEmpty, "\(label)")
    _ = try await store.pending.changes()
    do {
      try await store.background { context in
        let town = try context.insert(Town.self)
        (town.uid, town.city) = (78, "later")
        for list in MixList.allCases {
          guard let mix = try context.fetch(Mix.self).first else { continue }
          try list.edit(mix) { $0.append(50) }
          try context.save()
          #expect(list.read(mix).last == 50, "\(label)")
        }
      }
      #expect(try await store.read { try $0.count(Town.where { $0.uid == 78 }) } == 1, "\(label)")
      #expect(try await store.check(.full).isEmpty, "\(label)")
    } catch {
      Issue.record("\(label): \(error)")
    }
    return nil
  }

  @Test func `one wrong value in a line is refused or does no harm`() async throws {
    let lines = try await archive()
    #expect(try await restore(lines, "as it was written") == nil)
    let others: [JSONValue] = [nil, 0, 1, 3, 1_000_000_000_000, -5, 1.5, "", "x", "_new", [:]]
    var refused = 0
    for (number, line) in lines.enumerated().dropFirst() {
      guard let values = line.array.map(Array.init) else { continue }
      for place in values.indices {
        // A third of the values at each place, and each value at a third of the places.
        for (index, other) in others.enumerated()
        where (number + place + index) % 3 == 0 && "\(other)" != "\(values[place])" {
          var changed = values
          changed[place] = other
          var forged = lines
          forged[number] = JSONValue(changed)
          if try await restore(forged, "\(line), \(place): \(other)") != nil { refused += 1 }
        }
      }
    }
    #expect(refused > 40)
  }

  @Test func `a missing or repeated line is refused or does no harm`() async throws {
    let lines = try await archive()
    for number in lines.indices.dropFirst() {
      var forged = lines
      forged.remove(at: number)
      _ = try await restore(forged, "without \(lines[number])")
      forged = lines
      forged.insert(lines[number], at: number)
      _ = try await restore(forged, "twice \(lines[number])")
    }
  }

  @Test func `a note without its row is refused`() async throws {
    var lines = try await archive()
    let edits = try #require(lines.firstIndex { $0.object?.contains("edits") == true })
    lines.insert(["Person", 40, "name", "x", 1, 1.5, 0, 0], at: edits + 1)
    #expect(try await restore(lines, "note")?.kind == .damagedArchive)
    lines[edits + 1] = ["Nobody", 1, "name", "x", 1, 1.5, 0, 0]
    #expect(try await restore(lines, "note")?.kind == .unknownEntity)
  }

  @Test(arguments: [1_000_000_000_000, Int64.max, 1 << 39])
  func `a row id that no store gives is refused`(_ last: Int64) async throws {
    var lines = try await archive()
    lines[0] = try header(lines, lastRow: last)
    #expect(try await restore(lines, "last row")?.kind == .damagedArchive)
  }

  @Test func `a value that is none of the type is refused`() async throws {
    let test = try TestStore(.memory, [Values.self, Kinds.self])
    try await test.store.background(as: .server) { context in
      (try context.insert(Values.self).uid, try context.insert(Kinds.self).uid) = (UUID(), 1)
    }
    let lines = try await test.store.archive().split(separator: 0x0A).dropLast().map {
      try JSONValue(parsing: Data($0))
    }
    var refused: Set<String> = []
    for (number, line) in lines.enumerated().dropFirst() {
      guard let values = line.array.map(Array.init), let columns = lines[number - 1]["columns"]?.array.map(Array.init)
      else { continue }
      for (place, column) in columns.enumerated() {
        for other: JSONValue in [300, -1, 70_000, 5_000_000_000, "x", "{", "18446744073709551616"] {
          var (forged, changed) = (lines, values)
          changed[place + 3] = other
          forged[number] = JSONValue(changed)
          let store = try EntityStore(.inMemory, entities: [Values.self, Kinds.self])
          do {
            try await store.restore(from: try archive(of: forged))
          } catch let error as StoreError where error.kind == .schemaMismatch {
            refused.insert("\(column): \(other)")
          }
        }
      }
    }
    for expected in [
      "int8: 300", "uint8: -1", "int16: 70000", "int32: 5000000000", "bool: 300", "uid: x", "decimal: x", "setup: {",
    ] {
      #expect(refused.contains { $0.replacing("\"", with: "") == expected }, "\(expected)")
    }
    #expect(!refused.contains { $0.hasSuffix("string: x") })
  }

  /// An archive needs no more row ids than it has, whatever its first line says.
  @Test func `an archive takes the row ids of its rows alone`() async throws {
    var lines = try await archive()
    lines[0] = try header(lines, lastRow: 1 << 38)
    let store = try EntityStore(.inMemory, entities: Self.entities)
    for _ in 0..<5 { try await store.restore(from: try archive(of: lines), discardsPending: true) }
    let next = try await store.read { try $0.connection.number(.nextPK) }
    #expect(next < 1 << 24)
  }
}
