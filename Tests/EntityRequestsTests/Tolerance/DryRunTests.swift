import EntityClient
import EntityTesting
import Foundation
import Testing

/// Responses that are tried: they say what they would do, and leave the store as it is.
@Suite(.cargos) struct DryRunTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func fill(_ store: EntityStore) async throws {
    try await Cargo.upsert(from: cargoList(1...4), in: store)
    try await Halt.upsert(from: [["id": 9, "cargo": 3]], in: store)
  }

  private static let list: JSONValue = [
    ["id": 1, "label": "new", "weight": 1], ["id": 2, "label": "p2", "weight": 1],
    ["id": 7, "label": "p", "weight": 1],
  ]

  @Test func `a dry run says what the real run does`() async throws {
    let store = try store
    try await fill(store)
    try StubAdapter.current.on(.get, "/cargos", .json(Self.list))
    let before = try await store.lines(Cargo.self)
    let options = ResponseOptions<Cargo>.deleteMissing(in: Cargo.all)
    let trial = try await Cargo.get(options: [options, .dryRun])
    #expect(trial.isDryRun)
    #expect(trial.wouldDelete.map(\.description) == ["Cargo 3", "Halt 9", "Cargo 4"])
    #expect(trial.wouldDelete.total == 3)
    #expect(trial.description.contains("dry run"))
    #expect(try await store.lines(Cargo.self) == before)
    #expect(try await store.read { try $0.fetch(Halt.self).count } == 1)
    let real = try await Cargo.get(options: options)
    #expect(!real.isDryRun)
    #expect(real.wouldDelete.isEmpty)
    #expect(real.counts == trial.counts)
    #expect(real.counts.inserted == 1 && real.counts.updated == 1 && real.counts.deleted == 2)
    #expect(try await store.read { try $0.fetch(Halt.self).count } == 0)
  }

  @Test @MainActor func `nobody hears of a dry run`() async throws {
    let store = try store
    try await fill(store)
    let first = try #require(try store.main.fetch(Cargo.self, uid: 1))
    let all = LiveQuery(Cargo.all, in: store)
    #expect(all.objects.count == 4)
    let trial = try await Cargo.upsert(
      from: Self.list, in: store, options: [.deleteMissing(in: Cargo.all), .dryRun])
    #expect(trial.counts.updated == 1)
    #expect(first.label == "p1")
    #expect(all.objects.count == 4)
    #expect(try trial.objects.map(\.uid) == [1, 2])
    // The next row ids are not those that the trial used.
    let real = try await Cargo.upsert(from: Self.list, in: store)
    #expect(Set(real.ids).subtracting(trial.ids).count == 1)
    #expect(first.label == "new")
  }

  @Test func `a dry run leaves the number of commits`() async throws {
    let store = try store
    try await fill(store)
    let options = ResponseOptions<Cargo>.deleteMissing(in: Cargo.all)
    let before = try await store.read { $0.news.mergedGeneration }
    try await Cargo.upsert(from: Self.list, in: store, options: [.dryRun, options])
    #expect(try await store.read { $0.news.mergedGeneration } == before)
    try await Cargo.upsert(from: Self.list, in: store, options: options)
    #expect(try await store.read { $0.news.mergedGeneration } == before + 1)
  }

  @Test func `local edits stay as they are`() async throws {
    let store = try store
    try await fill(store)
    try await store.background { try $0.fetch(Cargo.self, uid: 1)?.label = "mine" }
    let trial = try await Cargo.upsert(
      from: Self.list, in: store, options: [.localEdits(.overwrite), .dryRun])
    #expect(trial.counts.updated == 1)
    #expect(try await store.lines(Cargo.self).first == "1 mine 1")
    let kept = try await Cargo.upsert(from: Self.list, in: store, options: .dryRun)
    #expect(kept.skipped.map(\.reason) == [.locallyEdited])
  }

  /// An older answer would heed the stamps of a newer one.
  @Test func `a dry run leaves no stamp for older answers`() async throws {
    let store = try store
    try await fill(store)
    let older = store.core.requests.begin()
    try await Cargo.upsert(
      from: ["id": 1, "label": "tried", "weight": 1], in: store, options: .dryRun)
    let outcome = try await store.upsert(
      ResponseUpsert<Cargo>(["id": 1, "label": "older", "weight": 1], sequence: older))
    store.core.requests.end(older)
    #expect(outcome.counts.updated == 1)
    #expect(try await store.lines(Cargo.self).first == "1 older 1")
  }

  @Test func `objects that a dry run made itself are not reported as deleted`() async throws {
    let store = try store
    let list: JSONValue = [
      ["id": 1, "label": "a", "weight": 1, "wrap": ["color": "red"]],
      ["id": 1, "label": "a", "weight": 1, "wrap": nil],
    ]
    let trial = try await Cargo.upsert(from: list, in: store, options: .dryRun)
    #expect(trial.wouldDelete.isEmpty)
    try await Cargo.upsert(from: ["id": 1, "label": "a", "weight": 1, "wrap": ["color": "red"]], in: store)
    let other = try await Cargo.upsert(from: ["id": 1, "wrap": nil], in: store, options: .dryRun)
    #expect(other.wouldDelete.map(\.entity) == ["Wrap"])
    #expect(other.wouldDelete.first?.uid == nil)
  }

  @Test func `a dry run of many deletions names some objects and tells the number of all`() async throws {
    let store = try store
    try await Cargo.upsert(from: cargoList(1...1_200), in: store)
    let trial = try await Cargo.upsert(
      from: [], in: store, options: [.deleteMissing(in: Cargo.all), .dryRun])
    #expect(trial.wouldDelete.count == DeletedObjects.limit)
    #expect(trial.wouldDelete.total == 1_200)
    #expect(trial.wouldDelete.description.hasSuffix("… and 1180 more"))
  }

  @Test func `an error of the real run is an error of the dry run`() async throws {
    let store = try store
    try await fill(store)
    let error = try await requestError {
      try await Cargo.upsert(
        from: [], in: store, options: [.deleteMissing(in: Cargo.all, atMost: 3), .dryRun])
    }
    #expect(error.underlying is TooManyMissing)
    let mistake = try await requestError {
      try await Cargo.upsert(from: ["id": 1, "weight": "heavy"], in: store, options: .dryRun)
    }
    #expect(mistake.underlying is MappingError)
  }

  @Test func `a response without body is a dry run too`() async throws {
    try StubAdapter.current.on(.get, "/cargos", .status(204))
    #expect(try await Cargo.get(options: .dryRun).isDryRun)
  }

  // MARK: Refusals

  @Test func `a request that would change the server is not sent`() async throws {
    let stub = try StubAdapter.current
    try await fill(store)
    for error in [
      try await requestError { try await Cargo.post(options: .dryRun) },
      try await requestError { try await Cargo.put("1", options: .dryRun) },
      try await requestError { try await Cargo.patch("1", options: .dryRun) },
    ] {
      #expect(error.kind == .invalidRequest)
      #expect(error.description.contains("would change the server"))
    }
    #expect(stub.requests.isEmpty)
  }

  @Test func `a dry run tries one page and refuses a walk`() async throws {
    let stub = try StubAdapter.current
    try await fill(store)
    stub.on(.get, "/cargos", .json(cargoList([1])))
    let options: ResponseOptions<Cargo> = [.deleteMissing(in: Cargo.all), .dryRun]
    let error = try await requestError {
      try await Cargo.pages(by: .numbers(size: 2), options: options).all()
    }
    #expect(error.kind == .invalidRequest)
    #expect(stub.requests.isEmpty)
    for try await page in Cargo.pages(by: .link, limit: 1, options: options) {
      #expect(page.wouldDelete.map(\.description) == ["Cargo 2", "Cargo 3", "Halt 9", "Cargo 4"])
    }
    #expect(try await store.uids(Cargo.self) == [1, 2, 3, 4])
  }
}
