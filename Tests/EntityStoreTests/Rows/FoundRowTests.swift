import TestSchema
import Testing

@testable import EntityStore

/// A row that a writer found is a cursor of a statement, which ends by itself.
@Suite struct FoundRowTests {
  private struct Stop: Error {}

  private func inUnit<T: Sendable>(
    _ place: Place, _ body: @escaping @Sendable (RowWriter, EntityModel, Int64) throws -> T
  ) async throws -> T {
    let test = try TestStore(place)
    return try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      let pk = try rows.newPrimaryKey()
      _ = try rows.insert(model, pk: pk, Self.row(model, "Ann"), .effect)
      return try body(rows, model, pk)
    }
  }

  private static func row(_ model: EntityModel, _ name: String?) -> RowValues {
    var row = RowValues(count: model.properties.count)
    row[Person.columns.uid.index] = .integer(7)
    row[Person.columns.name.index] = name.map { .text($0) } ?? .null
    return row
  }

  @Test(arguments: Place.usual) func `a cursor ends with its scope`(_ place: Place) async throws {
    let names = try await inUnit(place) { rows, model, pk in
      var names: [StoredValue] = []
      for _ in 0..<3 {
        guard let found = try rows.find(model, pk: pk) else { throw Stop() }
        names.append(found.value(Person.columns.name.index))
      }
      return names
    }
    #expect(names == [.text("Ann"), .text("Ann"), .text("Ann")])
  }

  @Test(arguments: Place.usual) func `a cursor ends with an error`(_ place: Place) async throws {
    let name = try await inUnit(place) { rows, model, pk in
      func fail() throws {
        guard let found = try rows.find(model, pk: pk), found.pk == 0 else { throw Stop() }
      }
      #expect(throws: Stop.self) { try fail() }
      return try rows.find(model, pk: pk)?.read(model, model.stored).values[Person.columns.name.index]
    }
    #expect(name == .text("Ann"))
  }

  @Test(arguments: Place.usual, ["Ann", "Bob", nil]) func `an update consumes the cursor`(
    _ place: Place, _ name: String?
  )
    async throws
  {
    let after = try await inUnit(place) { rows, model, pk in
      func update() throws -> RowWriter.Outcome? {
        guard let found = try rows.find(model, pk: pk) else { return nil }
        return try rows.update(model, found, Self.row(model, name), .effect)
      }
      // The column is not optional: an update that throws ends the cursor too.
      if name == nil { #expect(throws: StoreError.self) { try update() } } else { _ = try update() }
      return try rows.find(model, pk: pk)?.read(model, model.stored).values[Person.columns.name.index]
    }
    #expect(after == .text(name ?? "Ann"))
  }

  @Test(arguments: Place.usual) func `a row is found by its uid while a cursor holds it by its key`(_ place: Place)
    async throws
  {
    let values = try await inUnit(place) { rows, model, pk in
      guard let found = try rows.find(model, pk: pk), let other = try rows.find(model, uid: .integer(7)) else {
        throw Stop()
      }
      return [found.value(Person.columns.name.index), other.value(Person.columns.name.index)]
    }
    #expect(values == [.text("Ann"), .text("Ann")])
  }

  @Test(arguments: Place.usual) func `the state of a row needs no cursor`(_ place: Place) async throws {
    try await inUnit(place) { rows, model, pk in
      // The same statement, twice at once.
      guard let one = try rows.current(model, pk: pk), let two = try rows.current(model, pk: pk) else { throw Stop() }
      #expect(one.pk == two.pk)
      #expect(try rows.exists(model, pk))
      #expect(try rows.current(model, uid: .integer(8)) == nil)
    }
  }
}
