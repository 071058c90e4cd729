import EntityClient
import EntityTesting
import EntityXML
import Foundation
import Testing

/// Responses in XML, from the bytes to the rows.
@Suite(.client(entities: shelfEntities, formats: [XMLFormat(lists: ["deep.item"])]))
struct XMLResponseTests {
  private func answer(
    _ path: String, _ text: String, _ type: String? = "application/xml; charset=utf-8", status: Int = 200
  ) throws {
    try StubAdapter.current.on(.get, path, .text(text, status: status, contentType: type))
  }

  @Test func `a list is taken in`() async throws {
    try answer(
      "/shelves",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <shelves page="1">
        <shelf id="1">
          <name>Tall &amp; narrow</name><width>80.5</width><is_open>true</is_open>
          <made_at>2024-03-01T12:00:00Z</made_at><link>https://example.com/a?b&#61;c</link>
          <volumes>
            <volume><id>10</id><title>One</title><pages>300</pages><page><number>1</number></page></volume>
            <volume><id>11</id><title><![CDATA[<Two>]]></title><pages/></volume>
          </volumes>
        </shelf>
        <shelf id="2"><name/><width xsi:nil="true" xmlns:xsi="urn:x"/><is_open>0</is_open></shelf>
      </shelves>
      """)
    let response = try await Shelf.get()
    #expect(response.counts.inserted == 2)
    let found = try await Client.current.store.read { context in
      let shelves = try [1, 2].map { try #require(try context.fetch(Shelf.self, uid: $0)) }
      let first = shelves[0]
      #expect(first.name == "Tall & narrow")
      #expect(first.width == 80.5)
      #expect(first.isOpen)
      #expect(first.madeAt == Date(timeIntervalSince1970: 1_709_294_400))
      #expect(first.link?.absoluteString == "https://example.com/a?b=c")
      let volumes = first.volumes.sorted { $0.uid < $1.uid }
      #expect(volumes.map(\.title) == ["One", "<Two>"])
      #expect(volumes.map(\.pages) == [300, nil])
      // One page, where a list is expected.
      #expect(volumes.map(\.leaves.count) == [1, 0])
      #expect(volumes[0].leaves.first?.number == 1)
      #expect(shelves[1].name == "")
      #expect(shelves[1].width == nil)
      #expect(!shelves[1].isOpen)
      return shelves.map(\.entityID)
    }
    #expect(response.ids == found)
  }

  @Test func `the same response again writes no row`() async throws {
    try answer(
      "/shelves/1",
      "<shelf id='1'><name>A</name><volumes><volume><id>10</id><page><number>1</number></page></volume></volumes></shelf>"
    )
    #expect(try await Shelf.get("1").counts.inserted == 1)
    #expect(try await Shelf.get("1").counts.rowsWritten == 0)
  }

  @Test(arguments: [("<shelves><shelf id='1'/></shelves>", [1]), ("<shelves/>", []), ("<shelves>\n</shelves>", [])])
  func `a list of one object and an empty list delete the objects that they lack`(_ text: String, _ left: [Int])
    async throws
  {
    try answer("/shelves", "<shelves><shelf id='1'/><shelf id='2'/><shelf id='3'/></shelves>")
    try await Shelf.get()
    try answer("/shelves", text)
    let response = try await Shelf.get(options: .deleteMissing(in: Shelf.all))
    #expect(response.counts.deleted == 3 - left.count)
    #expect(try await Client.current.store.read { try $0.fetch(Shelf.all).map(\.uid).sorted() } == left)
  }

  @Test func `a text is no list`() async throws {
    try answer("/shelves", "<shelves>none</shelves>")
    await #expect(throws: RequestError.self) { try await Shelf.get(options: .deleteMissing(in: Shelf.all)) }
  }

  @Test func `a relationship takes one object as a list and an empty element as an empty list`() async throws {
    try answer(
      "/shelves/1", "<shelf id='1'><volumes><volume><id>1</id></volume><volume><id>2</id></volume></volumes></shelf>")
    try await Shelf.get("1")
    #expect(try await volumes() == [1, 2])
    try answer("/shelves/1", "<shelf id='1'><name>x</name></shelf>")
    try await Shelf.get("1")
    #expect(try await volumes() == [1, 2])
    try answer("/shelves/1", "<shelf id='1'><volumes><volume><id>2</id></volume></volumes></shelf>")
    try await Shelf.get("1")
    #expect(try await volumes() == [2])
    // By id alone.
    try answer("/shelves/1", "<shelf id='1'><volumes><volume>1</volume></volumes></shelf>")
    try await Shelf.get("1")
    #expect(try await volumes() == [1])
    try answer("/shelves/1", "<shelf id='1'><volumes/></shelf>")
    try await Shelf.get("1")
    #expect(try await volumes() == [])
  }

  private func volumes() async throws -> [Int] {
    try await Client.current.store.read { try $0.fetch(Shelf.self, uid: 1)?.volumes.map(\.uid).sorted() ?? [] }
  }

  @Test func `an update by hand takes one object as a list`() async throws {
    try answer("/lamps/1", "<lamp><id>1</id><watts>60</watts><bulb><id>5</id></bulb></lamp>")
    try await Lamp.get("1", options: .envelope("lamp"))
    try answer("/lamps/2", "<lamp><id>2</id><watts/><bulb/></lamp>")
    try await Lamp.get("2", options: .envelope("lamp"))
    let lamps = try await Client.current.store.read { context in
      try [1, 2].map { uid in
        let lamp = try context.fetch(Lamp.self, uid: uid)
        return (lamp?.watts, lamp?.bulbs.map(\.uid))
      }
    }
    #expect(lamps.map(\.0) == [60, nil])
    #expect(lamps.map(\.1) == [[5], []])
  }

  @Test func `a part with one object is a list`() async throws {
    try answer(
      "/page", "<page><shelves><shelf id='1'/></shelves><labels><label><name>a</name></label></labels></page>")
    let parts: [ResponsePart] = [
      .list(Shelf.self, at: "page.shelves.shelf"), .list(Label.self, at: "page.labels.label"),
    ]
    let response = try await EntityDocument.get("/page", options: .parts(parts))
    #expect(response.ids(of: Shelf.self).count == 1)
    #expect(response.ids(of: Label.self).count == 1)
    try answer("/page", "<page><shelves/><labels/></page>")
    let empty = try await EntityDocument.get(
      "/page", options: .parts([.list(Shelf.self, at: "page.shelves.shelf", missing: .deleteMissing(in: Shelf.all))]))
    #expect(empty.counts(of: Shelf.self).deleted == 1)
  }

  // MARK: Values and errors

  private struct Person: Decodable, Sendable, Equatable {
    let name: String
    let age: Int
    let tag: [String]
    let nick: String?
  }

  @Test func `a value is decoded`() async throws {
    try answer("/person", "<person><name>Ada</name><age>36</age><tag>x</tag></person>", "text/xml")
    let response = try await Client.current.get("person", as: Person.self, options: .envelope("person"))
    #expect(response.value == Person(name: "Ada", age: 36, tag: ["x"], nick: nil))
    #expect(try response.meta(Int.self, at: "person.age") == 36)
  }

  @Test func `an error model is read`() async throws {
    struct Refusal: Decodable, Sendable {
      let code: Int
      let message: String
    }
    try answer("/person", "<error><code>7</code><message>no</message></error>", "application/problem+xml", status: 422)
    do {
      try await Client.current.get("person", options: .errorModel(Refusal.self, at: "error"))
      Issue.record("nothing was thrown")
    } catch let error as RequestError {
      #expect(error.kind == .status)
      #expect((error.model as? Refusal)?.code == 7)
      #expect(error.body?["error.message"]?.string == "no")
    }
  }

  @Test func `the error for a body that is no XML says where the fault is`() async throws {
    try answer("/person", "<person>\n<name>Ada</nam></person>")
    do {
      try await Client.current.get("person")
      Issue.record("nothing was thrown")
    } catch let error as RequestError {
      #expect(error.kind == .parsing)
      #expect((error.underlying as? XMLError)?.kind == .mismatchedTag)
      #expect(
        "\(error)".hasSuffix(
          "The body is not XML (its content type is 'application/xml; charset=utf-8'): XML line 2, column 10 (byte 18), "
            + "in person/name: the end tag is not that of the element that is open"), "\(error)")
    }
  }

  @Test func `a deeper body than the limit is refused`() async throws {
    try answer("/person", "<a><a><a/></a></a>")
    _ = try await Client.current.get("person", options: .limits(JSONLimits(depth: 3)))
    await #expect(throws: RequestError.self) {
      try await Client.current.get("person", options: .limits(JSONLimits(depth: 2)))
    }
  }

  @Test func `an element without elements is an empty list of values`() async throws {
    try answer("/people", "<people/>")
    let people = try await Client.current.get("people", as: [Person].self, options: .envelope("people.person"))
    #expect(people.value.isEmpty)
  }

  @Test(arguments: ["application/json", nil, "text/html"])
  func `other content types are read as JSON`(_ type: String?) async throws {
    try answer("/person", "{\"age\": \"36\"}", type)
    let response = try await Client.current.get("person")
    #expect(response.json == ["age": "36"])
    // With types, a text is no number.
    #expect(throws: RequestError.self) { try response.meta(Int.self, at: "age") }
    try answer("/person", "<a/>", type)
    await #expect(throws: RequestError.self) { try await Client.current.get("person") }
  }

  @Test func `a response of another client is taken in`() async throws {
    let response = HTTPResponse(
      status: 200, headers: ["Content-Type": "application/xml"], body: Data("<shelf id='4'><name>D</name></shelf>".utf8)
    )
    #expect(try await Shelf.upsert(from: response).counts.inserted == 1)
    // And a value that was read before.
    let value = try XMLFormat().value(of: Data("<shelves><shelf id='5'/></shelves>".utf8))
    #expect(try await Shelf.upsert(from: value).counts.inserted == 1)
  }

  @Test func `a picked field keeps its kind`() throws {
    let object = try #require(try read("<a><n>5</n><l><m>x</m></l></a>")["a"]?.object)
    #expect(object.picking("n")["n"]?.int == 5)
    #expect(try object.picking(["l.m": "m"])["m"]?.decode([String].self) == ["x"])
  }
}
