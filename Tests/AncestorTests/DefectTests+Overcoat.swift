import EntityClient
import EntityTesting
import Foundation
import Testing

extension DefectTests {
  @Suite(.notes) @MainActor struct OvercoatDefects {
    private var store: EntityStore { get throws { try Client.current.store } }
    private var stub: StubAdapter { get throws { try StubAdapter.current } }

    @Test func `D1: a status is a number by its type, so that no text can be one that never matches`() {
      let created: StatusPattern = 201
      #expect(created.matches(201))
      #expect(!created.matches(200))
      #expect(StatusPattern.success.matches(201))
    }

    @Test func `D2: a component is split off before it is decoded`() throws {
      #expect(try PathPattern("files/*").match("files/a%2Fb")?.unnamed == ["a/b"])
      #expect(try PathPattern("files/*/*").match("files/a%2Fb") == nil)
    }

    @Test func `D3: an error knows the method that was sent, also where the caller has changed it`() async throws {
      try stub.on(.patch, "/contacts", .status(500))
      let error = try await requestError { try await Contact.post { $0.httpMethod = "PATCH" } }
      #expect(error.method == .patch)
    }

    @Test func `D4: an error model that does not fit leaves the status, the response, and the reason`() async throws {
      try stub.on(.get, "/contacts", .json(["code": "seven"], status: 422, headers: ["X-Trace": "a1"]))
      let error = try await requestError { try await Contact.get(options: .errorModel(Problem.self)) }
      #expect(error.kind == .status)
      #expect(error.status == 422)
      #expect(error.response?.headers["X-Trace"] == "a1")
      #expect(error.body?["code"]?.string == "seven")
      #expect(error.underlying is DecodingError)
    }

    @Test func `D5: metadata needs no envelope, and an envelope that is absent is an error`() async throws {
      try stub.on(.get, "/contacts", .json(["id": 1, "total": 7]))
      #expect(try await Contact.get().meta(Int.self, at: "total") == 7)
      let error = try await requestError { try await Contact.get(options: .envelope("data")) }
      #expect(error.kind == .envelope)
      #expect(error.message.contains("'data'"))
    }

    @Test func `D6: a refused upload has its response, and the model of it`() async throws {
      try stub.on(.post, "/contacts", .json(["code": 3, "message": "Too large"], status: 413))
      let error = try await requestError {
        try await Contact.post(options: .errorModel(Problem.self)) {
          try $0.setMultipart(["name": "Ada"], [.data("photo", Data(count: 10), filename: "a.jpg")])
        }
      }
      #expect(error.response?.status == 413)
      #expect(error.model(as: Problem.self)?.message == "Too large")
    }

    @Test func `D7: a response that can't be kept throws, and what was there stays`() async throws {
      let contact = try #require(try await Contact.upsert(from: contacts([1])).object)
      let error = try await requestError {
        try await Contact.upsert(from: [["id": 2], ["id": 1, "display_name": ["not", "a", "text"]]])
      }
      #expect(error.kind == .upsert)
      #expect((error.underlying as? MappingError)?.property == "displayName")
      #expect(!contact.isDeleted)
      #expect(contact.displayName == "Contact 1")
      #expect(try await store.contactUIDs() == [1])
    }

    @Test func `D7: attributes that a response lacks are not emptied`() async throws {
      let contact = try #require(try await Contact.upsert(from: ["id": 1, "display_name": "Ada", "phone": "1"]).object)
      try await Contact.upsert(from: ["id": 1, "phone": "2"])
      #expect(contact.displayName == "Ada")
    }

    @Test func `D7: the body of a refusal is no object, whatever it looks like`() async throws {
      try stub.on(.get, "/contacts/1", .json(["id": 1, "display_name": "Error"], status: 500))
      _ = try await requestError { try await Contact.get("1") }
      #expect(try await store.objectCount() == 0)
    }

    @Test func `D8: a file that is no store throws when it is opened`() async throws {
      try await withStoreFile { file in
        let text = Data("This is a letter, and no database. ".utf8)
        try text.write(to: file)
        #expect(throws: StoreError.self) { try EntityStore(.file(file), entities: entities) }
        #expect(try Data(contentsOf: file) == text)
      }
    }

    @Test(arguments: ["PUT", "PATCH", "HEAD", "DELETE", "REPORT"])
    func `D8: every method is sent as itself`(name: String) async throws {
      let method = try #require(HTTPMethod(rawValue: name))
      try stub.on(method, "/contacts", .status(204))
      try await Client.current.sending(method, "contacts").send()
      #expect(try stub.requests.map(\.method.rawValue) == [name])
    }
  }
}
