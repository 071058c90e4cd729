import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// `upsert(from:)` of a response that another client delivered.
@Suite struct DeliveredResponseTests {
  private let store: EntityStore

  init() throws { store = try EntityStore(.inMemory, entities: sampleEntities) }

  @Test func `data needs no client`() async throws {
    let response = try await User.upsert(from: Data(#"[{"id": 1}, {"id": 2}]"#.utf8), in: store)
    #expect(response.counts.inserted == 2)
    #expect(response.status == 200)
    let uids = try await objects(response)
    #expect(uids == [1, 2])
  }

  @MainActor private func objects(_ response: EntityResponse<User>) throws -> [Int] {
    try response.objects.map(\.uid)
  }

  @Test func `a response of Foundation brings its status`() async throws {
    let url = try #require(URL(string: "https://h/users"))
    let head = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: ["X-A": "1"])
    let response = try await User.upsert(from: Data(#"{"id": 1}"#.utf8), response: head, in: store)
    #expect(response.status == 201)
    #expect(response.headers["x-a"] == "1")
    #expect(response.url == url)
    let failure = HTTPURLResponse(url: url, statusCode: 500, httpVersion: nil, headerFields: nil)
    let error = try await requestError { try await User.upsert(from: Data("{}".utf8), response: failure, in: store) }
    #expect(error.kind == .status)
    #expect(error.status == 500)
  }

  @Test func `responses of adapters and values are upserted`() async throws {
    let response = HTTPResponse(status: 200, body: Data(#"{"data": [{"id": 1}]}"#.utf8))
    #expect(try await User.upsert(from: response, in: store, options: .envelope("data")).ids.count == 1)
    #expect(try await User.upsert(from: ["id": 1, "email": "x"], in: store).counts.updated == 1)
    #expect(try await User.upsert(from: HTTPResponse(status: 304), in: store).ids.isEmpty)
    #expect(
      try await User.upsert(from: [["id": 2]], in: store, options: .deleteMissing(in: User.all)).counts.deleted == 1)
    #expect(
      try await requestError { try await User.upsert(from: HTTPResponse(status: 404), in: store) }.kind == .status)
    #expect(try await requestError { try await User.upsert(from: 5, in: store) }.kind == .parsing)
  }

  @Test func `an error has no status where none was given`() async throws {
    let body = Data(#"{"id": "x"}"#.utf8)
    var error = try await requestError { try await User.upsert(from: body, in: store) }
    #expect(error.kind == .upsert, "\(error)")
    #expect(error.status == nil, "\(error)")
    #expect(!error.description.contains("status"), "\(error)")
    #expect(error.body == ["id": "x"])
    error = try await requestError { try await User.upsert(from: ["id": "x"], in: store) }
    #expect(error.kind == .upsert, "\(error)")
    #expect(error.status == nil, "\(error)")
    #expect(!error.description.contains("status"), "\(error)")
    error = try await requestError { try await User.upsert(from: Data("<".utf8), in: store) }
    #expect(error.kind == .parsing, "\(error)")
    #expect(error.status == nil, "\(error)")
    #expect(!error.description.contains("status"), "\(error)")
    error = try await requestError { try await User.upsert(from: HTTPResponse(status: 200, body: body), in: store) }
    #expect(error.status == 200)
    #expect(error.description.hasPrefix("(status 200): "))
  }

  @Test(.sample(envelope: "data")) func `the current client is the default for a delivered response`() async throws {
    #expect(try await User.upsert(from: ["data": [["id": 1]]]).ids.count == 1)
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 1)
    #expect(try StubAdapter.current.requests.isEmpty)
  }
}
