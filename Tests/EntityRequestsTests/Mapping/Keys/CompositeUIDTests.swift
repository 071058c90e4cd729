import EntityClient
import EntityTesting
import Foundation
import Testing

/// Objects of responses whose uid has several parts.
@Suite(.client(entities: fareEntities)) @MainActor struct CompositeUIDTests {
  private var main: EntityContext { get throws { try Client.current.store.main } }

  private func data(_ value: JSONValue) -> Data { value.data(format: .compact) }

  @Test func `responses find the object by all parts`() async throws {
    let body: JSONValue = [
      ["line_id": 5, "code": "a", "price": 1], ["line_id": 5, "code": "b", "price": 2], ["line_id": "6", "code": "a"],
    ]
    let first = try await FareStage.upsert(from: data(body))
    #expect(first.counts.inserted == 3)
    let again = try await FareStage.upsert(from: data(body))
    #expect(again.counts.rowsWritten == 0)
    #expect(again.ids == first.ids)
    let changed = try await FareStage.upsert(from: data(["price": 3, "code": "b", "line_id": 5]))
    #expect(changed.ids == [first.ids[1]])
    #expect(try main.fetch(FareStage.self, uid: ["line": 5, "code": "b"])?.price == 3)
    #expect(try main.fetch(FareStage.self, uid: ["line": 6, "code": "a"])?.price == nil)
  }

  @Test func `an update by hand finds the object by all parts`() async throws {
    for price in 1...2 {
      _ = try await HandFareStage.upsert(
        from: data([["line_id": 5, "code": "a", "price": JSONValue(price)], ["line_id": 5, "code": "b", "price": 9]]))
    }
    #expect(try main.fetch(HandFareStage.self).map { "\($0.line) \($0.code) \($0.price ?? 0)" } == ["5 a 2", "5 b 9"])
    // A part that the response lacks is no part that is zero or empty.
    let stage = try main.insert(HandFareStage.self)
    stage.code = "z"
    try await main.save()
    try StubAdapter.current.on(.post, "/handstages", .json(["price": 4, "code": "z"]))
    let response = try await stage.post(\.code, \.price)
    #expect(response.lacksUID && !stage.hasUID)
    #expect(stage.price == 4)
  }

  @Test func `texts with separators in them are different objects`() async throws {
    let first: JSONObject = ["line": 1, "zone": "a:b"]
    let second: JSONObject = ["line": 1, "zone": "a\",\"b"]
    _ = try await FareZone.upsert(from: data([first.value, second.value, ["line": 1, "zone": "a"]]))
    #expect(try main.count(FareZone.all) == 3)
  }

  @Test func `an object without a part is refused`() async throws {
    for object: JSONObject in [["line_id": 5, "price": 1], ["line_id": 5, "code": nil], ["line_id": 5, "code": ""]] {
      let error = await #expect(throws: RequestError.self) {
        _ = try await FareStage.upsert(from: data([object.value]))
      }
      #expect("\(String(describing: error))".contains("line_id, code"), "\(String(describing: error))")
    }
    await #expect(throws: RequestError.self) {
      _ = try await FareStage.upsert(from: data([["line_id": "five", "code": "a"]]))
    }
    #expect(try main.count(FareStage.all) == 0)
  }

  @Test func `a context upserts a response for a given uid`() async throws {
    let stage = try main.upsert(FareStage.self, from: ["price": 7], uid: ["line": 5, "code": "a"])
    #expect((stage.line, stage.code, stage.price) == (5, "a", 7))
    #expect(throws: StoreError.self) { try main.upsert(FareStage.self, from: ["price": 7], uid: [5]) }
    try await main.save()
    let price = try await Client.current.store.background { context in
      try context.upsert(FareStage.self, from: ["line_id": 5, "code": "a", "price": 8]).price
    }
    #expect(price == 8)
    #expect(try main.count(FareStage.all) == 1)
  }

  // MARK: Links

  @Test func `a link by id is the array of the uid's parts`() async throws {
    _ = try await FareStop.upsert(
      from: data([
        ["id": 1, "stage": [5, "a"], "next": [[5, "b"], ["line_id": 5, "code": "c", "price": 3], [5, "a"]]]
      ]))
    let stop = try #require(try main.fetch(FareStop.self, uid: 1))
    let stage = try #require(stop.stage)
    #expect(stage.isPlaceholder)
    #expect((stage.line, stage.code) == (5, "a"))
    #expect(Set(stop.next.map(\.code)) == ["a", "b", "c"])
    _ = try await FareStage.upsert(from: data([["line_id": 5, "code": "a", "price": 1, "stops": [1]]]))
    #expect(!stage.isPlaceholder && stage.price == 1)
    #expect(try main.fetch(FareStage.all.sorted(by: \.code)).map(\.code) == ["a", "c"])
    // The answer to a request on another stop says that it has the stage, too.
    let again = try await FareStop.upsert(from: data([["id": 1, "stage": [5, "a"]]]))
    #expect(again.counts.rowsWritten == 0)
    _ = try await FareStop.upsert(from: data([["id": 1, "stage": nil]]))
    #expect(stop.stage == nil)
  }

  @Test func `an update by hand takes a link by id`() async throws {
    _ = try await HandFareStage.upsert(
      from: data([["line_id": 5, "code": "a", "stop": ["id": 4, "stage": [6, "b"]]]]))
    #expect(try main.fetch(HandFareStage.self, uid: [5, "a"])?.stop?.stage?.code == "b")
  }

  @Test func `an id of another form is refused`() async throws {
    for id: JSONValue in [5, "a", [5], [5, "a", 1], ["a", 5]] {
      await #expect(throws: RequestError.self) { _ = try await FareStop.upsert(from: data([["id": 1, "stage": id]])) }
      await #expect(throws: RequestError.self) { _ = try await FareStop.upsert(from: data([["id": 1, "next": [id]]])) }
    }
    #expect(try main.count(FareStop.all) == 0)
    let kept = try await FareStop.upsert(from: data([["id": 1, "stage": 5]]), options: .keepingValues)
    #expect(kept.refused.count == 1)
  }

  // MARK: Deletions, versions

  @Test func `missing objects go`() async throws {
    _ = try await FareStage.upsert(from: data([["line_id": 5, "code": "a"], ["line_id": 5, "code": "b"]]))
    let response = try await FareStage.upsert(
      from: data([["line_id": 5, "code": "b"]]), options: .deleteMissing(in: FareStage.all))
    #expect(response.counts.deleted == 1)
    #expect(try main.fetch(FareStage.self).map(\.code) == ["b"])
    // An object that was deleted here stays away.
    try main.delete(FareStage.self, uid: [5, "b"])
    try await main.save()
    let late = try await FareStage.upsert(from: data([["line_id": 5, "code": "b", "price": 1]]))
    #expect(late.skipped.map(\.uid) == [#"[5,"b"]"#])
    #expect(try main.count(FareStage.all) == 0)
  }

  @Test func `an older version changes nothing`() async throws {
    _ = try await FareZone.upsert(from: data([["line": 5, "zone": "a", "price": 1, "revision": 3]]))
    let response = try await FareZone.upsert(from: data([["line": 5, "zone": "a", "price": 2, "revision": 2]]))
    #expect(response.skipped.map(\.reason) == [.olderVersion])
    #expect(try main.fetch(FareZone.self, uid: [5, "a"])?.price == 1)
  }

  @Test func `a replacing answer without the uid's parts leaves them`() async throws {
    _ = try await FareStage.upsert(from: data([["line_id": 5, "code": "a", "price": 1]]))
    let stage = try #require(try main.fetch(FareStage.self, uid: [5, "a"]))
    try StubAdapter.current.on(.put, "/stages/5/a", .json(["price": 2]))
    _ = try await stage.put(options: .upserting(.replace)) { try $0.setJSON(["price": 2]) }
    #expect((stage.line, stage.code, stage.price) == (5, "a", 2))
    #expect(stage.hasUID)
  }

  @Test func `a mapping test expects a link`() async throws {
    let test = try await MappingTest(FareStop.self, ["id": 1, "stage": [5, "a"], "next": [[5, "b"], [5, "a"]]])
    test.expectLink(\.stage, uid: ["line": 5, "code": "a"])
    test.expectLinks(\.next, uids: [[5, "a"], [5, "b"]])
    test.expectNothingElse()
    try await test.expectNothingNewAgain()
    let other = try await MappingTest(FareStage.self, ["line_id": 6, "code": "a"])
    other.expectNothingElse()
  }
}
