import EntityClient
import EntityTesting
import Testing

extension DefectTests {
  @Suite(.notes) @MainActor struct SculptorDefects {
    private var stub: StubAdapter { get throws { try StubAdapter.current } }

    @Test(arguments: [.get, .post, .put, .head] as [HTTPMethod])
    func `D11: no body is no error`(method: HTTPMethod) async throws {
      try stub.on(method, "/contacts/1", .status(method == .head ? 200 : 204))
      switch method {
      case .get: #expect(try await Contact.get("1").ids.isEmpty)
      case .post: #expect(try await Contact.post("1").ids.isEmpty)
      case .put: #expect(try await Contact.put("1").ids.isEmpty)
      default: #expect(try await Contact.head("1").ids.isEmpty)
      }
    }

    @Test func `D11: a value that does not fit is an error, which says where and not what`() async throws {
      try stub.on(.get, "/people", .json([["name": "Ada"], ["nom": "Secret"]]))
      let error = try await requestError { try await Client.current.get("people", as: [Person].self) }
      #expect(error.kind == .mapping)
      #expect(error.description.contains("[1].name"))
      #expect(!error.description.contains("Secret"))
      #expect(error.response != nil)
    }

    @Test func `D11: a client is a value, and a copy of it has everything`() async throws {
      let client = try Client.current
      let copy = client
      try stub.on(.get, "/contacts", .json(contacts([1])))
      try await Client.withClient(copy) { _ = try await Contact.get() }
      #expect(try await client.store.contactUIDs() == [1])
    }
  }
}
