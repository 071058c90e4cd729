import EntityClient
import EntityTesting
import Testing

/// Objects without uid in lists and links: they live in their parent, and are told apart by their place.
@Suite struct EmbeddedListTests {
  /// The pins of a board and all pins that there are, by text.
  private func pins(_ store: EntityStore, _ isHand: Bool = false) async throws -> [[String]] {
    try await store.read { context in
      let own =
        isHand
        ? try context.fetch(HandBoard.self, uid: 1)?.pins ?? [] : try context.fetch(Board.self, uid: 1)?.pins ?? []
      return [own.map { $0.text ?? "-" }, try context.fetch(Pin.self).map { $0.text ?? "-" }]
    }
  }

  private func cards(_ store: EntityStore, _ isHand: Bool = false) async throws -> [[String]] {
    try await store.read { context in
      if isHand {
        return [
          try context.fetch(HandBoard.self, uid: 1)?.cards.map { $0.text ?? "-" } ?? [],
          try context.fetch(HandCard.self).map { $0.text ?? "-" },
        ]
      }
      return [
        try context.fetch(Board.self, uid: 1)?.cards.map { $0.text ?? "-" } ?? [],
        try context.fetch(Card.self).map { $0.text ?? "-" },
      ]
    }
  }

  private static let list: JSONValue = [["text": "a", "size": 1], ["text": "b", "size": 2]]

  private static func board(_ fields: JSONObject) -> JSONValue {
    JSONObject(fields: [("id", 1)] + fields.map { ($0.key, $0.value) }).value
  }

  // MARK: Synced again

  @Test func `the same list again writes nothing`() async throws {
    let store = try boards()
    let payload = Self.board(["pins": Self.list, "cards": Self.list, "cover": ["text": "c"]])
    for round in 0..<3 {
      let stated = try await store.receive(Board.self, payload)
      #expect((stated.counts.rowsWritten == 0) == (round > 0))
    }
    #expect(try await pins(store)[0] == ["a", "b"])
    let count = try await store.read { try $0.count(Pin.all) }
    #expect(count == 3)
    for round in 0..<3 {
      let handed = try await store.receive(HandBoard.self, payload)
      #expect((handed.counts.rowsWritten == 0) == (round > 0))
    }
    #expect(try await pins(store, true)[0] == ["a", "b"])
    #expect(try await store.read { try $0.count(Pin.all) } == 6)
    // A longer and a shorter list: the rows stay the same ones, and rows that are left over go.
    let before = try await store.read { try $0.fetch(Board.self, uid: 1)?.pins.map(\.entityID) ?? [] }
    _ = try await store.receive(
      Board.self, Self.board(["pins": [["text": "a", "size": 1], ["text": "x"], ["text": "y"]]]))
    #expect(try await pins(store)[0] == ["a", "x", "y"])
    _ = try await store.receive(Board.self, Self.board(["pins": [["text": "a", "size": 1]]]))
    #expect(try await store.read { try $0.fetch(Board.self, uid: 1)?.pins.map(\.entityID) ?? [] } == [before[0]])
    _ = try await store.receive(HandBoard.self, Self.board(["pins": nil]))
    #expect(try await store.read { try $0.count(Pin.all) } == 3)
  }

  @Test @MainActor func `the main context maps embedded lists too`() async throws {
    let store = try boards()
    let fields: JSONObject = ["id": 1, "pins": Self.list, "cards": Self.list, "cover": ["text": "c"]]
    for round in 0..<3 {
      _ = try store.main.upsert(Board.self, from: fields)
      _ = try store.main.upsert(HandBoard.self, from: fields)
      #expect(store.main.hasChanges == (round == 0))
      try await store.main.save()
    }
    #expect(try store.main.count(Pin.all) == 6)
    #expect(try store.main.fetch(Board.self, uid: 1)?.cover?.text == "c")
    _ = try store.main.upsert(Board.self, from: ["id": 1, "pins": [["text": "z", "size": 1]]])
    try await store.main.save()
    #expect(try await pins(store)[0] == ["z"])
    #expect(try store.main.count(Pin.all) == 5)
  }

  @Test func `a required embedded object keeps its row`() async throws {
    let store = try boards()
    let payload: JSONValue = ["id": 1, "mount": ["text": "m"]]
    let first = try await store.receive(Picture.self, payload)
    #expect(first.counts.inserted == 1)
    #expect(first.counts.rowsWritten == 2)
    #expect(try await store.receive(Picture.self, payload).counts.rowsWritten == 0)
    _ = try await store.receive(HandPicture.self, payload)
    #expect(try await store.receive(HandPicture.self, payload).counts.rowsWritten == 0)
    let ids = try await store.read { [try $0.fetch(Picture.self, uid: 1)?.mount.entityID] }
    #expect(try await store.receive(Picture.self, ["id": 1, "mount": ["text": "n"]]).counts.rowsWritten == 1)
    #expect(try await store.read { [try $0.fetch(Picture.self, uid: 1)?.mount.entityID] } == ids)
    await #expect(throws: MappingError.self) { try await store.receive(Picture.self, ["id": 1, "mount": nil]) }
    await #expect(throws: MappingError.self) { try await store.receive(HandPicture.self, ["id": 2]) }
    try await store.background { context in
      if let picture = try context.fetch(Picture.self, uid: 1) { try context.delete(picture) }
    }
    #expect(try await store.read { try $0.fetch(Pin.self).map(\.text) } == ["m"])
  }

  // MARK: Edited here

  /// A store that took a board in, by declaration and by hand.
  private func takenIn(_ payload: JSONValue) async throws -> EntityStore {
    let store = try boards()
    _ = try await store.receive(Board.self, payload)
    _ = try await store.receive(HandBoard.self, payload)
    return store
  }

  @Test(arguments: [false, true]) func `an edited list is left wholly alone`(_ isSet: Bool) async throws {
    let payload = Self.board(["pins": Self.list])
    let store = try await takenIn(payload)
    try await store.background { context in
      let (board, hand) = (
        try #require(try context.fetch(Board.self, uid: 1)), try #require(try context.fetch(HandBoard.self, uid: 1))
      )
      for pins in [\Board.pins] {
        let pin = try context.insert(Pin.self)
        pin.text = "mine"
        board[keyPath: pins] = [board[keyPath: pins][1], pin]
      }
      let pin = try context.insert(Pin.self)
      pin.text = "mine"
      hand.pins = [hand.pins[1], pin]
    }
    let all = ["a", "b", "a", "b", "mine", "mine"]
    #expect(try await pins(store) == [["b", "mine"], all])
    let changed: JSONObject = [
      "pins": [["text": "x", "size": 7], ["text": "y", "size": 8], ["text": "z"]], "title": "T",
    ]
    let stated = try await store.receive(Board.self, Self.board(changed))
    var fields = changed.map { ($0.key, $0.value) }
    if isSet { fields.append(("sets", true)) }
    let handed = try await store.receive(HandBoard.self, Self.board(JSONObject(fields: fields)))
    #expect(stated.counts.rowsWritten == 1)
    #expect(handed.counts.rowsWritten == 1)
    #expect(try await pins(store) == [["b", "mine"], all])
    #expect(try await pins(store, true)[0] == ["b", "mine"])
    #expect(try await store.read { try $0.fetch(Pin.self).map(\.size).sorted() } == [0, 0, 1, 1, 2, 2])
    try await Self.onMain(store, JSONObject(fields: [("id", 1)] + fields))
    #expect(try await pins(store) == [["b", "mine"], all])
    _ = try await store.receive(Board.self, payload) { $0.localEdits = .overwrite }
    #expect(try await pins(store)[0] == ["a", "b"])
    _ = try await store.receive(HandBoard.self, payload) { $0.localEdits = .overwrite }
    #expect(try await pins(store, true)[0] == ["a", "b"])
  }

  @MainActor private static func onMain(_ store: EntityStore, _ fields: JSONObject) async throws {
    _ = try store.main.upsert(Board.self, from: fields)
    _ = try store.main.upsert(HandBoard.self, from: fields)
    try await store.main.save()
  }

  @Test(arguments: [false, true]) func `an embedded object that was added to a list stays`(_ isSet: Bool) async throws {
    let store = try await takenIn(Self.board(["cards": Self.list]))
    try await store.background { context in
      let card = try context.insert(Card.self)
      card.text = "mine"
      card.board = try context.fetch(Board.self, uid: 1)
      let hand = try context.insert(HandCard.self)
      hand.text = "mine"
      hand.board = try context.fetch(HandBoard.self, uid: 1)
    }
    let changed = Self.board(
      isSet ? ["cards": [["text": "x"]], "sets": true] : ["cards": [["text": "x"]]])
    #expect(try await store.receive(Board.self, changed).counts.rowsWritten == 0)
    #expect(try await store.receive(HandBoard.self, changed).counts.rowsWritten == 0)
    #expect(try await cards(store) == [["a", "b", "mine"], ["a", "b", "mine"]])
    #expect(try await cards(store, true) == [["a", "b", "mine"], ["a", "b", "mine"]])
    _ = try await store.receive(Board.self, changed) { $0.localEdits = .overwrite }
    #expect(try await cards(store) == [["x"], ["x"]])
    _ = try await store.receive(HandBoard.self, changed) { $0.localEdits = .overwrite }
    #expect(try await cards(store, true) == [["x"], ["x"]])
  }

  @Test func `an embedded object that was taken out of a list stays out`() async throws {
    let payload = Self.board(["cards": Self.list])
    let store = try await takenIn(payload)
    try await store.background { context in
      let board = try #require(try context.fetch(Board.self, uid: 1))
      board.cards = [board.cards[0]]
      let hand = try #require(try context.fetch(HandBoard.self, uid: 1))
      hand.cards = [hand.cards[0]]
    }
    for fields in [["cards": Self.list], ["cards": Self.list, "sets": true]] as [JSONObject] {
      #expect(try await store.receive(Board.self, Self.board(fields)).counts.rowsWritten == 0)
      #expect(try await store.receive(HandBoard.self, Self.board(fields)).counts.rowsWritten == 0)
      try await Self.onMain(store, JSONObject(fields: [("id", 1)] + fields.map { ($0.key, $0.value) }))
    }
    #expect(try await cards(store) == [["a"], ["a", "b"]])
    #expect(try await cards(store, true) == [["a"], ["a", "b"]])
    _ = try await store.receive(Board.self, payload) { $0.localEdits = .overwrite }
    #expect(try await cards(store)[0] == ["a", "b"])
  }

  @Test func `a list of parts counts as edited where one part is edited`() async throws {
    let store = try await takenIn(Self.board(["cards": Self.list, "pins": Self.list]))
    try await store.background { context in
      let board = try #require(try context.fetch(Board.self, uid: 1))
      board.cards[1].text = "mine"
      board.pins[1].text = "mine"
      let hand = try #require(try context.fetch(HandBoard.self, uid: 1))
      hand.cards[1].text = "mine"
      hand.pins[1].text = "mine"
    }
    let other: JSONValue = [["text": "n", "size": 0]]
    for fields in [["cards": other, "pins": other], ["cards": other, "pins": other, "sets": true]] as [JSONObject] {
      #expect(try await store.receive(Board.self, Self.board(fields)).counts.rowsWritten == 0)
      #expect(try await store.receive(HandBoard.self, Self.board(fields)).counts.rowsWritten == 0)
      try await Self.onMain(store, JSONObject(fields: [("id", 1)] + fields.map { ($0.key, $0.value) }))
    }
    for isHand in [false, true] {
      #expect(try await cards(store, isHand)[0] == ["a", "mine"])
      #expect(try await pins(store, isHand)[0] == ["a", "mine"])
    }
  }

  @Test func `an edited link keeps its object and leaves nothing behind`() async throws {
    let store = try await takenIn(Self.board(["cover": ["text": "a", "size": 1]]))
    try await store.background { context in
      let pin = try context.insert(Pin.self)
      pin.text = "mine"
      try #require(try context.fetch(Board.self, uid: 1)).cover = pin
      try #require(try context.fetch(HandBoard.self, uid: 1)).cover = nil
    }
    let before = try await store.read { try $0.fetch(Pin.self).map { "\($0.text ?? "-") \($0.size)" } }
    let changed = Self.board(["cover": ["text": "b", "size": 5]])
    #expect(try await store.receive(Board.self, changed).counts.rowsWritten == 0)
    #expect(try await store.receive(HandBoard.self, changed).counts.rowsWritten == 0)
    try await Self.onMain(store, ["id": 1, "cover": ["text": "b", "size": 5]])
    #expect(try await store.read { try $0.fetch(Pin.self).map { "\($0.text ?? "-") \($0.size)" } } == before)
    #expect(try await store.read { try $0.fetch(HandBoard.self, uid: 1)?.cover == nil })
  }

  // MARK: Counts

  @Test func `a changed list counts as a change of its object`() async throws {
    let store = try boards()
    for (fields, updated) in [
      (["pins": Self.list, "cards": Self.list], 0), (["pins": Self.list, "cards": Self.list], 0),
      (["pins": [["text": "a", "size": 1]]], 1), (["cards": [["text": "a", "size": 1]]], 1),
      (["cards": Self.list, "sets": true], 1), (["pins": Self.list, "sets": true], 1), (["pins": Self.list], 0),
      // The members change, and not the list.
      (["pins": [["text": "q"], ["text": "r"]]], 0),
    ] as [(JSONObject, Int)] {
      #expect(try await store.receive(Board.self, Self.board(fields)).counts.updated == updated, "\(fields)")
      #expect(try await store.receive(HandBoard.self, Self.board(fields)).counts.updated == updated, "\(fields)")
    }
  }

  @Test func `a list whose members a local edit holds is no change of its object`() async throws {
    let store = try films()
    for type in [Studio.self, HandStudio.self] as [any RemoteEntity.Type] {
      _ = try await receive(type, ["id": 1, "films": [["id": 1], ["id": 2]]], store)
    }
    _ = try await store.receive(Studio.self, ["id": 2])
    _ = try await store.receive(HandStudio.self, ["id": 2])
    try await store.background { context in
      try #require(try context.fetch(Film.self, uid: 1)).studio = try #require(try context.fetch(Studio.self, uid: 2))
      try #require(try context.fetch(HandFilm.self, uid: 1)).studio =
        try #require(try context.fetch(HandStudio.self, uid: 2))
    }
    for type in [Studio.self, HandStudio.self] as [any RemoteEntity.Type] {
      let counts = try await receive(type, ["id": 1, "films": [["id": 1], ["id": 2]]], store)
      #expect(counts.updated == 0)
      #expect(counts.rowsWritten == 0)
      let added = try await receive(type, ["id": 1, "films": [2, 3]], store)
      #expect(added.updated == 1)
      #expect(added.unchanged == 0)
    }
  }

  private func receive<E: RemoteEntity>(_ type: E.Type, _ value: JSONValue, _ store: EntityStore) async throws
    -> EntityCounts
  {
    try await store.receive(type, value).counts
  }

  // MARK: Acknowledged

  @Suite(.client(entities: [Board.self, Card.self, Pin.self], baseURL: "https://api.example.com/"))
  @MainActor struct Requests {
    @Test func `a sent list of parts is the server's again`() async throws {
      let response = try await Board.upsert(from: [["id": 1, "cards": [["text": "a"]]]])
      let board = try #require(try response.object)
      let main = try #require(board.entityContext)
      let card = try main.insert(Card.self)
      card.text = "mine"
      card.board = board
      try await main.save()
      let stub = try StubAdapter.current
      stub.on(.put, "/boards/1", .json(["id": 1])).on(
        .get, "/boards/1", .json(["id": 1, "cards": [["text": "a"], ["text": "b"], ["text": "c"]]]))
      try await board.get()
      #expect(board.cards.compactMap(\.text).sorted() == ["a", "mine"])
      try await board.put { try $0.setJSON(["cards": [["text": "a"], ["text": "mine"]]] as JSONValue) }
      try await board.get()
      #expect(board.cards.compactMap(\.text) == ["a", "b", "c"])
    }
  }
}
