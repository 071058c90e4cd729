import EntityClient
import EntityTesting
import Foundation
import Testing

extension DefectTests {
  @Suite(.notes) @MainActor struct NCCDefects {
    private var store: EntityStore { get throws { try Client.current.store } }
    private var stub: StubAdapter { get throws { try StubAdapter.current } }

    @Test(arguments: ["a page", "one object", "POST", "PUT", "nothing"])
    func `D12: no response deletes what it does not name`(answer: String) async throws {
      try await Contact.upsert(from: contacts(0...5))
      try stub.on(.get, "/contacts", .json(contacts([1, 2]))).on(.get, "/contacts/1", .json(contact(1)))
        .on(.post, "/contacts", .json(contact(6), status: 201)).on(.put, "/contacts/1", .json(contact(1)))
        .on(.get, "/contacts/none", .json([]))
      switch answer {
      case "a page": try await Contact.get()
      case "one object": try await Contact.get("1")
      case "POST": try await Contact.post()
      case "PUT": try await Contact.put("1")
      default: try await Contact.get("none")
      }
      #expect(try await store.contactUIDs().filter { $0 < 6 } == [0, 1, 2, 3, 4, 5])
    }

    @Test func `D12: an object twice in a response is one row`() async throws {
      let response = try await Contact.upsert(from: contacts([3, 3, 4, 3]))
      #expect(try response.objects.map(\.uid) == [3, 4])
      #expect(try await store.objectCount() == 2)
    }

    @Test func `D13: a second sync finds every id again, whatever it looks like`() async throws {
      let texts = ["10", "9", "-1", "a", "A", "ü", "1e3", "0x1", "007", "7", " 7"]
      let body = JSONArray(texts.map { ["code": JSONValue($0), "name": "Country"] }).value
      try await Country.upsert(from: body)
      let again = try await Country.upsert(from: body, options: .deleteMissing(in: Country.all))
      #expect(again.counts.unchanged == texts.count)
      #expect(again.counts.rowsWritten == 0)
      #expect(try again.objects.map(\.uid) == texts)
      // A response of one object is read in another way than a list.
      for text in texts {
        let alone = try await Country.upsert(from: ["code": JSONValue(text), "name": "Country"])
        #expect(try alone.objects.map(\.uid) == [text])
        #expect(alone.counts.unchanged == 1)
      }
    }

    @Test(arguments: [1.5, "x", true] as [JSONValue])
    func `D13: an id that is none of the type is refused, and not cut off`(uid: JSONValue) async throws {
      try await Contact.upsert(from: contacts([1]))
      _ = try await requestError { try await Contact.upsert(from: ["id": uid, "display_name": "Other"]) }
      #expect(try store.main.fetch(Contact.self, uid: 1)?.displayName == "Contact 1")
    }

    @Test func `D14: an upsert stays in its context, and the ids that it gives are for ever`() async throws {
      let id = try await store.background { context in
        let contact = try context.upsert(Contact.self, from: ["id": 1, "display_name": "Ada"])
        #expect(contact.entityContext === context)
        return contact.entityID
      }
      let contact = try #require(try store.main.object(id))
      #expect(contact.uid == 1)
      #expect(contact.entityContext === (try store.main))
    }

    @Test
    func `D15: an entity that the store does not have is an error, and not a reason to insert everything`() async throws
    {
      let store = try EntityStore(.inMemory, entities: [Country.self])
      let error = try await requestError { try await Contact.upsert(from: contacts([1]), in: store) }
      #expect((error.underlying as? StoreError)?.kind == .unknownEntity)
      #expect(throws: StoreError.self) { try store.main.fetch(Contact.all) }
    }

    @Test func `D16: a deletion is one of its own context, until that is saved`() async throws {
      try await Contact.upsert(from: contacts(0...5))
      struct Changed: Error {}
      let store = try store
      await #expect(throws: Changed.self) {
        try await store.background { context in
          #expect(try context.delete(Contact.all) == 6)
          #expect(try context.count(Contact.all) == 0)
          throw Changed()
        }
      }
      #expect(try store.main.fetch(Contact.all).count == 6)
    }

    @Test func `D17: DELETE takes the row away too`() async throws {
      let contact = try #require(try await Contact.upsert(from: contacts([1, 2])).object)
      try stub.on(.delete, "/contacts/1", .status(204)).on(.delete, "/contacts/2", .status(204))
      try await contact.delete()
      #expect(contact.isDeleted)
      try await Contact.delete("2")
      #expect(try await store.objectCount() == 0)
    }

    @Test func `D17: an object without uid has no URL: nothing is sent, least of all to the collection`() async throws {
      let contact = try store.main.insert(Contact.self)
      let error = try await requestError { try await contact.delete() }
      #expect(error.kind == .missingUID)
      #expect(try stub.requests.isEmpty)
      #expect(!contact.isDeleted)
    }

    @Test func `D17: PUT tells the progress of its body`() async throws {
      try stub.on(.put, "/contacts/1", .json(contact(1)))
      let reports = Reports()
      try await Contact.put("1", modify: { try $0.setJSON(contact(1)) }, progress: reports.handler)
      #expect(reports.all.contains { $0.bytesSent > 0 })
      #expect(reports.all.last?.fraction == 1)
    }

    @Test func `D18: text in a query, a form and a path arrives as it is`() async throws {
      let text = "R&D = 100% + ü/?#"
      let country = try #require(try await Country.upsert(from: ["code": JSONValue(text)]).object)
      try stub.on(.get, "/countries", .json([])).on(.put, "/countries/*", .status(204))
      try await Country.get(query: ["q": text])
      try await country.put { try $0.setForm(["q": text]) }
      let requests = try stub.requests
      #expect(requests[0].query.map(\.value) == [text])
      #expect(requests[1].path == "/countries/\(text)")
      #expect(String(decoding: requests[1].body, as: UTF8.self) == "q=R%26D+%3D+100%25+%2B+%C3%BC%2F%3F%23")
    }

    @Test func `D18: each upload has a boundary of its own, and a file's name can't end its header`() async throws {
      try stub.on(.post, "/contacts", .status(204))
      for _ in 1...2 {
        try await Contact.post {
          try $0.setMultipart([:], [.data("photo", Data([1]), filename: "a\"; x=\"b\r\nX-Header: 1.png")])
        }
      }
      let requests = try stub.requests
      #expect(requests[0].headers["Content-Type"] != requests[1].headers["Content-Type"])
      let body = String(decoding: requests[0].body, as: UTF8.self)
      #expect(body.contains("filename=\"a%22; x=%22b%0D%0AX-Header: 1.png\""))
    }
  }
}
