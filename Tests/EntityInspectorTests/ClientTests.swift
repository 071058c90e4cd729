import EntityClient
import EntityInspector
import EntityTesting
import Foundation
import Testing

/// The inspector of a client: its store in memory, and its requests.
struct ClientTests {
  @Test func `a request has its counts, its time and its commit, and leads to its objects`() async throws {
    let test = try InspectedClient()
    test.stub.on(.get, "/visitors", .json([["id": 1, "name": "Ada"], ["id": 2, "name": "Bo"]]))
    try await Client.withClient(test.client) { _ = try await Visitor.get(query: ["token": "hidden"]) }
    let page = try test.browser.json("requests.json")
    let line = try #require(page["requests[0]"])
    #expect(line["method"]?.string == "GET" && line["status"]?.string == "200")
    #expect(line["url"]?.string?.hasPrefix("https://api.example.com/visitors") == true)
    #expect(line["inserted"]?.int64 == 2 && line["objects"]?.int64 == 2 && line["entity"]?.string == "Visitor")
    #expect(try #require(line["bytes"]?.int64) > 0)
    let commit = try #require(line["commits[0]"]?.int64)
    #expect(try test.browser.json("commits/\(commit).json")["lines"]?.array?.count == 2)
    let one = try test.browser.json("requests/1.json")
    #expect(one["objects"]?.array?.compactMap { $0["label"]?.string } == ["Ada", "Bo"])
    for path in ["requests", "requests/1", "requests.json", "requests/1.json"] {
      let body = try test.browser.get(path).body
      #expect(body.contains("visitors") && !body.contains("hidden"), "\(path)")
    }
    #expect(try test.browser.get("e/Visitor").body.contains("Ada"))
  }

  @Test func `a property names the request that wrote it, and equal values name none`() async throws {
    let test = try InspectedClient()
    test.stub.on(
      .get, "/visitors/1", .json(["id": 1, "name": "Ada", "remark": "a"]),
      .json(["id": 1, "name": "Ada", "remark": "b"]))
    try await Client.withClient(test.client) { for _ in 1...2 { _ = try await Visitor.get("1") } }
    let pk = try #require(try test.browser.json("e/Visitor.json")["rows[0].pk"]?.int64)
    let properties = try #require(try test.browser.json("e/Visitor/\(pk).json")["properties"]?.array)
    func request(_ name: String) -> Int64? {
      properties.first { $0["name"]?.string == name }?["writer.request.number"]?.int64
    }
    #expect(request("name") == 1)
    #expect(request("remark") == 2)
  }

  @Test func `a skipped change says why, and leads to its object`() async throws {
    let test = try InspectedClient()
    test.stub.on(.get, "/visitors/1", .json(["id": 1, "name": "Ada"]), .json(["id": 1, "name": "Server"]))
    try await Client.withClient(test.client) {
      _ = try await Visitor.get("1")
      try await test.client.store.background { try $0.upsert(Visitor.self, uid: 1).name = "Mine" }
      _ = try await Visitor.get("1")
    }
    let one = try test.browser.json("requests/2.json")
    #expect(one["skipped[0].reason"]?.string == "locallyEdited")
    #expect(one["skipped[0].object.label"]?.string == "Mine")
    #expect(one["request.commits"]?.array?.isEmpty == false)
  }

  @Test func `a request that failed says why`() async throws {
    let test = try InspectedClient()
    test.stub.on(.get, "/visitors/1", .status(500))
    await #expect(throws: RequestError.self) {
      try await Client.withClient(test.client) { _ = try await Visitor.get("1") }
    }
    let line = try #require(try test.browser.json("requests.json")["requests[0]"])
    #expect(line["status"]?.string == "500" && line["failure"]?.string?.contains("500") == true)
    #expect(line["commits"]?.array?.isEmpty == true)
  }

  @Test func `a value has a request, too`() async throws {
    let test = try InspectedClient()
    test.stub.on(.get, "/numbers", .json([1, 2]))
    #expect(try await test.client.get("numbers", as: [Int].self).value == [1, 2])
    #expect(try test.browser.json("requests.json")["requests[0].entity"] == nil)
  }

  @Test func `the end of a request is an event`() async throws {
    let test = try InspectedClient()
    let stream = try test.browser.events(after: 0)
    _ = try stream.read(until: "\r\n\r\n")
    test.stub.on(.get, "/visitors/1", .status(404))
    await #expect(throws: RequestError.self) {
      try await Client.withClient(test.client) { _ = try await Visitor.get("1") }
    }
    #expect(try stream.read(until: "\"number\":1}\n\n").contains("event: request"))
  }

  @Test func `a stopped inspector lets go of the client's requests`() async throws {
    let test = try InspectedClient()
    test.inspector.stop()
    test.stub.on(.get, "/visitors/1", .json(["id": 1, "name": "Ada"]))
    _ = try await Client.withClient(test.client) { try await Visitor.get("1") }
    let other = try Inspector.start(test.client)
    #expect(try RawBrowser(other.url).json("requests.json")["requests"]?.array?.isEmpty == true)
    other.stop()
  }

  @Test func `a client without a store, and a file without requests, are told`() async throws {
    let client = try Client(adapter: StubAdapter(), baseURL: "https://api.example.com/")
    #expect(throws: RequestError.self) { try Inspector.start(client) }
    let test = try await InspectedStore()
    for path in ["requests", "live"] {
      let page = try test.browser.get(path)
      #expect(page.status == 404 && page.body.contains("A file has none."), "\(path)")
    }
  }
}
