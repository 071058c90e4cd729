import EntityClient
import Testing

/// Rows without uid live in their parent.
@Suite struct EmbeddedRowTests {
  @Test func anEmbeddedObjectOfAToOneGoesWithItsParent() async throws {
    let store = try twins()
    _ = try await store.take(
      Stated.self,
      [
        ["data": ["id": 1], "part": ["color": "red"], "parts": [["size": 1]]],
        ["data": ["id": 2], "part": ["color": "blue"]],
      ])
    try await store.background { context in
      if let first = try context.fetch(Stated.self, uid: 1) { try context.delete(first) }
    }
    let left = try await store.read { try $0.fetch(StatedPart.self).map { [$0.color, "\($0.size)"] } }
    // The list has the rule `.nullify`: its member stays, without an owner.
    #expect(left == [[nil, "1"], ["blue", "0"]])
  }

  @Test func oneThatAnotherRowHasStays() async throws {
    let store = try twins()
    _ = try await store.take(
      Stated.self,
      [
        ["data": ["id": 1], "part": ["color": "red"]], ["data": ["id": 2]],
        ["data": ["id": 3], "part": ["color": "blue"]],
      ])
    try await store.background { context in
      let first = try #require(try context.fetch(Stated.self, uid: 1))
      let second = try #require(try context.fetch(Stated.self, uid: 2))
      let third = try #require(try context.fetch(Stated.self, uid: 3))
      second.part = first.part
      second.parts = [try #require(third.part)]
      try context.delete(first)
      try context.delete(third)
    }
    #expect(try await store.read { try $0.fetch(StatedPart.self).map(\.color) } == ["red", "blue"])
    #expect(try await store.read { try $0.fetch(Stated.self, uid: 2)?.part?.color } == "red")
  }

  @Test @MainActor func aResponseThatLeavesOneOutDeletesItUnlessAnotherHasIt() async throws {
    let store = try twins()
    let first = try store.main.upsert(Stated.self, from: ["data": ["id": 1], "part": ["color": "red"]])
    let second = try store.main.upsert(Stated.self, from: ["data": ["id": 2]])
    second.part = first.part
    try await store.main.save()
    try store.main.upsert(Stated.self, from: ["data": ["id": 1], "part": nil])
    #expect(first.part == nil && second.part?.color == "red")
    let third = try store.main.upsert(Stated.self, from: ["data": ["id": 3], "part": ["color": "blue"]])
    try store.main.upsert(Stated.self, from: ["data": ["id": 3], "part": nil])
    try await store.main.save()
    #expect(third.part == nil)
    #expect(try await store.read { try $0.fetch(StatedPart.self).map(\.color) } == ["red"])
  }

  @Test @MainActor func theObjectsAreDeletedToo() async throws {
    let store = try twins()
    _ = try await store.take(Stated.self, ["data": ["id": 1], "part": ["color": "red"]])
    let object = try #require(try store.main.fetch(Stated.self, uid: 1))
    let part = try #require(object.part)
    #expect(part.color == "red")
    try store.main.delete(object)
    try await store.main.save()
    #expect(part.isDeleted)
    #expect(part.color == "red")
  }
}
