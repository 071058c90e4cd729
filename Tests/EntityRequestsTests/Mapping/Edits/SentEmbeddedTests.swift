import EntityClient
import EntityTesting
import Testing

/// Embedded objects that were edited here and sent with their parent.
@Suite(
  .client(
    entities: [Board.self, Card.self, Pin.self, HandBoard.self, HandCard.self], baseURL: "https://api.example.com/"))
@MainActor struct SentEmbeddedTests {
  private let board: Board
  private let main: EntityContext

  init() async throws {
    main = try Client.current.store.main
    let list: JSONValue = [["text": "a"], ["text": "b"]]
    let body: JSONValue = ["id": 1, "cards": list, "pins": list]
    board = try #require(try await Board.upsert(from: body).object)
  }

  private func put(_ body: JSONValue, answer: JSONValue? = nil) async throws {
    try StubAdapter.current.on(.put, "/boards/1", .json(answer ?? body))
    try await board.put { try $0.setJSON(body) }
  }

  private static func list(_ texts: String...) -> JSONValue {
    JSONValue(texts.map { ["text": JSONValue($0)] })
  }

  @Test(arguments: [false, true]) func `an appended member is the member that was sent`(_ saves: Bool) async throws {
    let card = try main.insert(Card.self)
    card.text = "n"
    board.cards.append(card)
    let pin = try main.insert(Pin.self)
    pin.text = "n"
    board.pins.append(pin)
    if saves { try await main.save() }
    let list = Self.list("a", "b", "n")
    try await put(["id": 1, "cards": list, "pins": list])
    #expect(!main.hasChanges)
    try await main.save()
    #expect(card.text == "n")
    #expect(card.board === board)
    #expect(board.cards.count == 3)
    #expect(pin.text == "n")
    #expect(board.pins.count == 3)
    #expect(Set(board.cards.map(\.text)) == ["a", "b", "n"])
    #expect(Set(board.pins.map(\.text)) == ["a", "b", "n"])
    #expect(try main.count(Card.all) == 3)
    #expect(try main.count(Pin.all) == 3)
    // All is the server's again.
    let next = Self.list("x", "y", "z")
    try await Board.upsert(from: ["id": 1, "cards": next, "pins": next])
    #expect(board.cards.map(\.text) == ["x", "y", "z"])
    #expect(board.pins.map(\.text) == ["x", "y", "z"])
    #expect(try main.count(Card.all) == 3)
    #expect(try main.count(Pin.all) == 3)
  }

  @Test func `the answer's values go to the members in the order sent`() async throws {
    let card = try main.insert(Card.self)
    card.text = "n"
    board.cards.append(card)
    try await put(
      ["cards": Self.list("b", "n", "a")],
      answer: ["id": 1, "cards": [["text": "b", "size": 2], ["text": "n", "size": 3], ["text": "a", "size": 1]]])
    #expect(card.text == "n")
    #expect(card.size == 3)
    #expect(Set(board.cards.map { "\($0.text ?? "-")\($0.size)" }) == ["a1", "b2", "n3"])
  }

  @Test(arguments: [false, true]) func `an object in a link is the object that was sent`(_ saves: Bool) async throws {
    let pin = try main.insert(Pin.self)
    pin.text = "Oslo"
    board.cover = pin
    if saves { try await main.save() }
    try await put(["id": 1, "cover": ["text": "Oslo"]])
    #expect(!main.hasChanges)
    #expect(board.cover === pin)
    #expect(pin.text == "Oslo")
    let count = try main.count(Pin.all)
    try await Board.upsert(from: ["id": 1, "cover": ["text": "Rome"]])
    #expect(board.cover === pin)
    #expect(pin.text == "Rome")
    #expect(try main.count(Pin.all) == count)
    #expect(count == 3)
  }

  @Test func `sent properties of an object in a link are acknowledged`() async throws {
    try await Board.upsert(from: ["id": 1, "cover": ["text": "Oslo"]])
    let pin = try #require(board.cover)
    pin.text = "Bergen"
    pin.size = 7
    try await main.save()
    try await put(["cover": ["text": "Bergen"]])
    try await Board.upsert(from: ["id": 1, "cover": ["text": "Rome", "size": 1]])
    #expect(pin.text == "Rome")
    #expect(pin.size == 7)
  }

  @Test func `a list with an edit that was not sent stays as it is`() async throws {
    let (a, b) = (board.cards[0], board.cards[1])
    a.text = "A"
    b.size = 7
    try await main.save()
    try await put(["cards": Self.list("A", "b")], answer: ["id": 1, "cards": Self.list("n", "A", "b")])
    #expect(board.cards.map(\.text) == ["A", "b"])
    try await put(
      ["cards": [["text": "A"], ["text": "b", "size": 7]]], answer: ["id": 1, "cards": Self.list("n", "A", "b")])
    #expect(board.cards.map(\.text) == ["n", "A", "b"])
    #expect(board.cards[1] === b)
  }

  @Test(arguments: [false, true]) func `a sent removal is acknowledged`(_ saves: Bool) async throws {
    let b = board.cards[1]
    board.cards = [board.cards[0]]
    if saves { try await main.save() }
    try await put(["id": 1, "cards": Self.list("a")])
    try await main.save()
    #expect(board.cards.map(\.text) == ["a"])
    #expect(b.board == nil)
    #expect(!b.isDeleted)
    try await Board.upsert(from: ["id": 1, "cards": Self.list("x", "y")])
    #expect(board.cards.map(\.text) == ["x", "y"])
  }

  @Test func `a member that moved to another list stays there`() async throws {
    let other = try #require(try await Board.upsert(from: ["id": 2]).object)
    let b = board.cards[1]
    b.board = other
    try await put(["id": 1, "cards": Self.list("a")])
    try await main.save()
    #expect(board.cards.map(\.text) == ["a"])
    #expect(b.board === other)
    #expect(other.cards.map(\.text) == ["b"])
  }

  @Test func `an object and its embedded objects are made by one POST`() async throws {
    let new = try main.insert(Board.self)
    let (card, pin, cover) = (try main.insert(Card.self), try main.insert(Pin.self), try main.insert(Pin.self))
    (card.text, pin.text, cover.text) = ("c", "p", "v")
    (new.cards, new.pins, new.cover) = ([card], [pin], cover)
    let body: JSONObject = ["cards": Self.list("c"), "pins": Self.list("p"), "cover": ["text": "v"]]
    let answer = JSONObject(fields: [("id", 9)] + body.map { ($0.key, $0.value) })
    try StubAdapter.current.on(.post, "/boards", .json(answer.value))
    try await new.post { try $0.setJSON(body.value) }
    #expect(new.uid == 9)
    #expect(!main.hasChanges)
    try await main.save()
    #expect(new.cards.first === card)
    #expect(new.pins.first === pin)
    #expect(new.cover === cover)
    #expect(try main.count(Card.all) == 3)
    #expect(try main.count(Pin.all) == 4)
  }

  @Test func `a new object of which a list alone was sent keeps its members`() async throws {
    let new = try main.insert(Board.self)
    let card = try main.insert(Card.self)
    card.text = "c"
    new.cards = [card]
    try StubAdapter.current.on(.post, "/boards", .json(["id": 9, "cards": Self.list("c")]))
    try await new.post { try $0.setJSON(["cards": Self.list("c")] as JSONValue) }
    #expect(new.uid == 9)
    #expect(new.cards.first === card)
    #expect(!main.hasChanges)
    let (count, text) = try await Client.current.store.read { context in
      (try context.count(Card.all), try context.fetch(Board.self, uid: 9)?.cards.first?.text)
    }
    #expect(count == 3)
    #expect(text == "c")
  }

  @Test func `the objects of an update by hand are the ones that were sent`() async throws {
    let hand = try #require(try await HandBoard.upsert(from: ["id": 1, "cards": Self.list("a", "b")]).object)
    let card = try main.insert(HandCard.self)
    card.text = "n"
    hand.cards.append(card)
    let body: JSONValue = ["cards": Self.list("a", "b", "n")]
    for answer in [
      ["id": 1, "cards": Self.list("a", "b", "n")], ["id": 1, "cards": Self.list("a", "b", "n"), "sets": true],
    ]
      as [JSONValue]
    {
      try StubAdapter.current.on(.put, "/handboards/1", .json(answer))
      try await hand.put { try $0.setJSON(body) }
      #expect(card.text == "n")
      #expect(card.board === hand)
      #expect(!main.hasChanges)
      #expect(Set(hand.cards.map(\.text)) == ["a", "b", "n"])
      #expect(try main.count(HandCard.all) == 3)
    }
  }
}
