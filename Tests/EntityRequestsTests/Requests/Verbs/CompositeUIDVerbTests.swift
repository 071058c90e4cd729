import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Requests on objects whose uid has several parts.
@Suite(.client(entities: fareEntities)) @MainActor struct CompositeUIDVerbTests {
  private var main: EntityContext { get throws { try Client.current.store.main } }

  private func stage(_ code: String = "a") async throws -> FareStage {
    _ = try await FareStage.upsert(
      from: JSONValue([["line_id": 5, "code": JSONValue(code), "price": 1]]).data(format: .compact))
    return try #require(try main.fetch(FareStage.self, uid: ["line": 5, "code": code]))
  }

  private func zone(_ zone: String = "a") async throws -> FareZone {
    _ = try await FareZone.upsert(
      from: JSONValue([["line": 5, "zone": JSONValue(zone), "price": 1]]).data(format: .compact))
    return try #require(try main.fetch(FareZone.self, uid: ["line": 5, "zone": zone]))
  }

  // MARK: URLs

  @Test func `the URL has a segment for each part`() async throws {
    let stage = try await stage("a/b c")
    #expect(try stage.request(.get).url?.absoluteString == "https://api.example.com/stages/5/a%2Fb%20c")
    #expect(try FareStage.resource(uid: ["code": "a/b c", "line": 5]) == "https://api.example.com/stages/5/a%2Fb%20c")
    #expect(try stage.resource(\.stops) == "https://api.example.com/stages/5/a%2Fb%20c/stops")
    let new = try main.insert(FareStage.self)
    new.line = 5
    #expect(throws: RequestError.self) { try new.request(.get) }
    new.code = ""
    #expect(throws: RequestError.self) { try new.request(.get) }
    new.code = ".."
    #expect(throws: RequestError.self) { try new.request(.get) }
    #expect(throws: StoreError.self) { try FareStage.resource(uid: [5]) }
  }

  @Test func `an entity may say the URL of its objects`() async throws {
    let zone = try await zone("a b")
    #expect(try zone.request(.get).url?.absoluteString == "https://api.example.com/v1/lines/5/zones/a%20b/")
    #expect(try FareZone.resource(uid: [5, "x"]) == "https://api.example.com/v1/lines/5/zones/x/")
    #expect(try zone.resource(\.stop) == "https://api.example.com/v1/stops/of/a%20b")
    try StubAdapter.current.on(.delete, "/v1/lines/5/zones/{zone}/", .data(Data(), status: 204))
    _ = try await FareZone.delete("/v1/lines/5/zones/a%20b/")
    #expect(try main.fetch(FareZone.self, uid: [5, "a b"]) == nil)
  }

  @Test func `an entity with a uid of one value keeps to the URL of objects`() async throws {
    try StubAdapter.current.on(.get, "/v2/booths/7", .json(["id": 7, "name": "North"]))
    let booth = try #require(try await FareBooth.get(uid: 7).object)
    #expect(booth.name == "North")
    #expect(try booth.request(.get).url?.absoluteString == "https://api.example.com/v2/booths/7")
    #expect(try FareBooth.resource(uid: 7, "doors", "a b") == "https://api.example.com/v2/booths/7/doors/a%20b")
    #expect(try FareStage.resource(uid: [5, "a"], "stops") == "https://api.example.com/stages/5/a/stops")
    #expect(throws: RequestError.self) { try FareZone.resource(uid: 5) }
  }

  // MARK: Verbs

  @Test func `an object is read and deleted`() async throws {
    try StubAdapter.current.on(.get, "/stages/5/a", .json(["line_id": 5, "code": "a", "price": 4]))
    try StubAdapter.current.on(.delete, "/stages/5/a", .data(Data(), status: 204))
    let stage = try #require(try await FareStage.get(uid: CompositeUID(["code": "a", "line": 5])).object)
    #expect(stage.price == 4)
    let other = try await self.stage("b")
    #expect(try await FareStage.delete("5/a").counts.deleted == 1)
    #expect(stage.isDeleted && !other.isDeleted)
    try StubAdapter.current.on(.delete, "/stages/5/b", .data(Data(), status: 204))
    try await other.delete()
    #expect(try main.count(FareStage.all) == 0)
  }

  @Test func `the parts are sent and the answer acknowledges them`() async throws {
    let stage = try main.insert(FareStage.self)
    (stage.line, stage.code, stage.price) = (5, "a", 2)
    try await main.save()
    try StubAdapter.current.on(.post, "/stages", .json(["line_id": 5, "code": "a", "price": 2], status: 201))
    _ = try await stage.post { try $0.setJSON(stage.jsonObject(depth: 0)) }
    #expect(try StubAdapter.current.requests.last?.json == ["line_id": 5, "code": "a", "price": 2])
    #expect(try await Client.current.store.pending.count() == 0)
    #expect(!stage.hasLocalEdits && !stage.hasChanges)
    stage.price = 3
    try await main.save()
    try StubAdapter.current.on(.put, "/stages/5/a", .data(Data(), status: 204))
    _ = try await stage.put(\.price)
    #expect(try await Client.current.store.pending.count() == 0)
    #expect(stage.price == 3 && !stage.hasLocalEdits)
  }

  @Test(arguments: [false, true]) func `a location binds the uid`(_ isSaved: Bool) async throws {
    let stage = try main.insert(FareStage.self)
    (stage.line, stage.price) = (5, 2)
    if isSaved { try await main.save() }
    // Another answer was faster.
    let fast = try await self.stage("a")
    try StubAdapter.current.on(.post, "/stages", .data(Data(), status: 201, headers: ["Location": "/stages/5/a"]))
    let response = try await stage.post(\.line, \.price)
    #expect(!response.lacksUID)
    #expect((stage.line, stage.code) == (5, "a"))
    #expect(try main.fetch(FareStage.self, uid: [5, "a"]) === stage)
    #expect(fast.isDeleted)
    #expect(try await Client.current.store.pending.count() == 0)
  }

  @Test func `a location of the entity's own route binds the uid`() async throws {
    let zone = try main.insert(FareZone.self)
    zone.price = 2
    try StubAdapter.current.on(
      .post, "/zones", .data(Data(), status: 201, headers: ["Location": "https://api.example.com/v1/lines/7/zones/b/"]))
    let response = try await zone.post(\.price)
    #expect(!response.lacksUID)
    #expect((zone.line, zone.zone) == (7, "b"))
    #expect(try main.fetch(FareZone.self, uid: ["zone": "b", "line": 7]) === zone)
  }

  @Test func `an answer with the missing part binds the uid`() async throws {
    let stage = try main.insert(FareStage.self)
    stage.line = 5
    try await main.save()
    try StubAdapter.current.on(.post, "/stages", .json(["code": "a"], status: 201))
    let response = try await stage.post(\.line)
    #expect(!response.lacksUID)
    #expect(try main.fetch(FareStage.self, uid: [5, "a"]) === stage)
  }

  // MARK: Export, notes of answers

  @Test func `a link is sent as the array of the uid's parts`() async throws {
    let stage = try await stage()
    let stop = try main.insert(FareStop.self)
    stop.uid = 1
    stop.stage = stage
    stop.next = [stage]
    #expect(try stop.jsonObject(depth: 0) == ["id": 1, "stage": [5, "a"], "next": [[5, "a"]]])
    #expect(
      try stop.jsonObject(depth: 1) == [
        "id": 1, "stage": ["line_id": 5, "code": "a", "price": 1], "next": [["line_id": 5, "code": "a", "price": 1]],
      ])
    let new = try main.insert(FareStage.self)
    new.line = 6
    #expect(try new.jsonObject(depth: 0) == ["line_id": 6, "price": nil])
    // The sent value comes back as it was.
    let store = try EntityStore(.inMemory, entities: fareEntities)
    _ = try await FareStop.upsert(from: stop.jsonObject(depth: 1).data(format: .compact), in: store)
    let price = try await store.read { try $0.fetch(FareStage.self, uid: [5, "a"])?.price }
    #expect(price == 1)
  }

  @Test func `a known answer has its objects in order`() async throws {
    try StubAdapter.current.on(
      .get, "/stages", .json([["line_id": 5, "code": "b"], ["line_id": 5, "code": "a"]], headers: ["ETag": "\"1\""]))
    _ = try await FareStage.get(options: .cache(.cacheFirst(maxAge: .seconds(100_000))))
    let known = try await FareStage.get(options: .cache(.cacheFirst(maxAge: .seconds(100_000))))
    #expect(try known.objects.map(\.code) == ["b", "a"])
    #expect(try StubAdapter.current.requests.count == 1)
  }
}
