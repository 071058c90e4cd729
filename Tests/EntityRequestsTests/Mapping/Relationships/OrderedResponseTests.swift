import EntityClient
import EntityTesting
import Foundation
import TestSupport
import Testing

/// The order of lists in responses: of objects with and without uid, mapped by declaration and by hand.
@Suite struct OrderedResponseTests {
  @Test(arguments: ChartList.allCases)
  func `a list has the order of the response`(_ list: ChartList) async throws {
    let store = try charts()
    for uids in [
      [3, 1, 2], [1, 2, 3], [3, 2, 1], [3, 4, 2, 5, 1], [5, 3], [7, 3, 6, 5], [7, 3, 7, 3, 6, 5], [], [2, 7],
    ] {
      _ = try await list.receive(uids, in: store)
      var seen: Set<Int> = []
      #expect(try await list.read(store) == uids.filter { seen.insert($0).inserted })
      let again = try await list.receive(uids, in: store)
      #expect(again.rowsWritten == 0)
      #expect(again.unchanged == 1)
    }
  }

  @Test(arguments: ChartList.allCases)
  func `only members that moved are written`(_ list: ChartList) async throws {
    let store = try charts()
    let isByHand = list == .handSongs || list == .handReviews
    let count = (isByHand ? 1_000 : 10_000) / (Seeds.isSanitized ? 10 : 1)
    var uids = Array(1...count)
    _ = try await list.receive(uids, in: store)
    uids.insert(20_000, at: count / 2)
    let inserted = try await list.receive(uids, in: store)
    // The object, its pair, and its place.
    #expect(inserted.rowsWritten <= 3, "\(inserted)")
    #expect(try await list.read(store) == uids)
    uids.insert(uids.remove(at: 10), at: count / 10 * 9)
    let moved = try await list.receive(uids, in: store)
    #expect(moved.rowsWritten == 1)
    #expect(moved.updated == 1)
    #expect(try await list.read(store) == uids)
    #expect(try await list.receive(uids, in: store).rowsWritten == 0)
  }

  @Test(arguments: ChartList.allCases)
  func `an edited order stays`(_ list: ChartList) async throws {
    let store = try charts()
    _ = try await list.receive([1, 2, 3, 4], in: store)
    try await store.background { try list.edit($0) { $0 = [4, 2, 1, 3] } }
    _ = try await list.receive([1, 2, 3, 4], in: store)
    #expect(try await list.read(store) == [4, 2, 1, 3])
    // A member that the response adds stands behind the one that it stands behind there; others may go.
    _ = try await list.receive([1, 9, 2, 3, 8], in: store)
    #expect(try await list.read(store) == [2, 1, 9, 3, 8])
    _ = try await list.receive([7, 1, 9, 2, 3, 8], in: store)
    #expect(try await list.read(store) == [7, 2, 1, 9, 3, 8])
    _ = try await list.receive([7, 1, 9, 2, 3, 8], in: store, localEdits: .overwrite)
    #expect(try await list.read(store) == [7, 1, 9, 2, 3, 8])
    _ = try await list.receive([1, 2, 3], in: store)
    #expect(try await list.read(store) == [1, 2, 3])
  }

  @Test(arguments: ChartList.allCases)
  func `a member that was added here stays behind its predecessor`(_ list: ChartList) async throws {
    let store = try charts()
    _ = try await list.receive([1, 2, 3], in: store)
    try await store.background { try list.edit($0) { $0.append(9) } }
    _ = try await list.receive([3, 1, 2], in: store)
    #expect(try await list.read(store) == [3, 9, 1, 2])
    _ = try await list.receive([3, 1, 2, 5], in: store)
    let found = try await list.read(store)
    #expect(found == [3, 9, 1, 2, 5], "\(list)")
  }

  @Test func `members may come in other objects of the response`() async throws {
    let store = try charts()
    _ = try await store.receive(
      Chart.self,
      [
        ["id": 1, "songs": [["id": 2], ["id": 1]], "reviews": [["id": 2], ["id": 1]]],
        ["id": 2, "songs": [["id": 1], ["id": 3], ["id": 2]], "reviews": [["id": 1]]],
      ])
    let read = try await store.read { context in
      try context.fetch(Chart.all.sorted(by: \.uid)).map { [$0.songs.map(\.uid), $0.reviews.map(\.uid)] }
    }
    #expect(read == [[[2, 1], [2]], [[1, 3, 2], [1]]])
    // By references, and through the other side.
    _ = try await store.receive(Song.self, [["id": 4, "charts": [1, 2]], ["id": 1, "charts": [2, 1]]])
    _ = try await store.receive(Review.self, [["id": 9, "chart": 1], ["id": 3, "chart": 1]])
    let later = try await store.read { context in
      try context.fetch(Chart.all.sorted(by: \.uid)).map { [$0.songs.map(\.uid), $0.reviews.map(\.uid)] }
    }
    #expect(later == [[[2, 1, 4], [2, 9, 3]], [[1, 3, 2, 4], [1]]])
  }

  // MARK: Objects without uid

  private func steps(_ store: EntityStore) async throws -> [String] {
    try await store.read { try $0.fetch(Chart.self, uid: 1)?.steps.map { $0.text ?? "-" } ?? [] }
  }

  private static func steps(_ texts: String) -> JSONValue {
    ["id": 1, "steps": JSONValue(texts.map { ["text": JSONValue(String($0))] })]
  }

  @Test func `embedded objects are in the order of the response`() async throws {
    let store = try charts()
    for texts in ["abc", "cab", "cabd", "db", "xdyb"] {
      _ = try await store.receive(Chart.self, Self.steps(texts))
      #expect(try await steps(store).joined() == texts)
      #expect(try await store.receive(Chart.self, Self.steps(texts)).counts.rowsWritten == 0)
    }
    try await store.background { context in
      let chart = try #require(try context.fetch(Chart.self, uid: 1))
      chart.steps.swapAt(0, 3)
    }
    #expect(try await steps(store).joined() == "bdyx")
    _ = try await store.receive(Chart.self, Self.steps("xdyb"))
    #expect(try await steps(store).joined() == "bdyx")
    _ = try await store.receive(Chart.self, Self.steps("xdyb")) { $0.localEdits = .overwrite }
    #expect(try await steps(store).joined() == "xdyb")
    _ = try await store.receive(Chart.self, Self.steps("xd"))
    #expect(try await steps(store).joined() == "xd")
  }

  private func charts() throws -> EntityStore {
    try EntityStore(.inMemory, entities: Chart.all, busyTimeout: .seconds(60))
  }
}

/// An order that is sent, and its acknowledgement.
@Suite(.client(entities: Chart.all)) @MainActor struct SentOrderTests {
  private func chart() async throws -> Chart {
    let chart = try #require(
      try await Chart.upsert(
        from: [
          [
            "id": 1, "songs": [["id": 1], ["id": 2], ["id": 3]], "reviews": [["id": 1], ["id": 2], ["id": 3]],
            "steps": [["text": "a"], ["text": "b"]],
          ]
        ]
      ).object)
    try StubAdapter.current.on(.put, "/charts/1", .json(["id": 1]))
    return chart
  }

  private func receive(_ list: String, _ uids: [Int]) async throws {
    _ = try await Chart.upsert(from: [["id": 1, "\(list)": JSONValue(uids.map { ["id": JSONValue($0)] })]])
  }

  @Test(arguments: ["songs", "reviews"], [false, true])
  func `the uids are sent in order and acknowledged`(_ list: String, _ isSaved: Bool) async throws {
    let chart = try await chart()
    let context = try #require(chart.entityContext)
    if list == "songs" { chart.songs.swapAt(0, 2) } else { chart.reviews.swapAt(0, 2) }
    if isSaved { try await context.save() }
    try await receive(list, [1, 2, 3])
    func uids() -> [Int] { list == "songs" ? chart.songs.map(\.uid) : chart.reviews.map(\.uid) }
    #expect(uids() == [3, 2, 1])
    if list == "songs" { try await chart.put(\.songs) } else { try await chart.put(\.reviews) }
    let request = try #require(try StubAdapter.current.requests.first)
    #expect(request.body == Data("{\"\(list)\":[3,2,1]}".utf8))
    #expect(!context.hasChanges)
    #expect(uids() == [3, 2, 1])
    #expect(try context.pendingChanges().isEmpty)
    try await receive(list, [2, 3, 1])
    #expect(uids() == [2, 3, 1])
  }

  @Test(arguments: ["songs", "reviews"])
  func `an edit since it was sent stays`(_ list: String) async throws {
    let chart = try await chart()
    func swap(_ one: Int, _ other: Int) {
      if list == "songs" { chart.songs.swapAt(one, other) } else { chart.reviews.swapAt(one, other) }
    }
    func uids() -> [Int] { list == "songs" ? chart.songs.map(\.uid) : chart.reviews.map(\.uid) }
    swap(0, 2)
    try await chart.entityContext?.save()
    if list == "songs" {
      try await chart.put(\.songs) { _ in swap(0, 1) }
    } else {
      try await chart.put(\.reviews) { _ in swap(0, 1) }
    }
    #expect(uids() == [2, 3, 1])
    try await chart.entityContext?.save()
    try await receive(list, [3, 2, 1])
    #expect(uids() == [2, 3, 1])
  }

  @Test(arguments: [false, true])
  func `the order of embedded objects is sent`(_ isSaved: Bool) async throws {
    let chart = try await chart()
    let context = try #require(chart.entityContext)
    chart.steps.swapAt(0, 1)
    if isSaved { try await context.save() }
    try await chart.put { try $0.setJSON(["steps": [["text": "b"], ["text": "a"]]] as JSONValue) }
    #expect(!context.hasChanges)
    #expect(try context.pendingChanges().isEmpty)
    #expect(chart.steps.map(\.text) == ["b", "a"])
    _ = try await Chart.upsert(from: [["id": 1, "steps": [["text": "c"], ["text": "d"]]]])
    #expect(chart.steps.map(\.text) == ["c", "d"])
  }
}
