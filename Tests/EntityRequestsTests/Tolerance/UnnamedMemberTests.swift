import EntityClient
import EntityTesting
import Testing

// Recipes with steps of which a server names some alone; mapped by declaration and by hand.

@Entity final class PotRecipe: RemoteEntity {
  static var basePath: String { "potrecipes" }
  @UID @Key("id") var uid: Int
  var title: String?
  @Relationship(inverse: \PotStep.recipe) var steps: [PotStep]
  /// Many to many, of one side.
  var labels: [PotLabel]
  var firstStep: PotStep?
}

@Entity final class PotStep: RemoteEntity {
  static var basePath: String { "potsteps" }
  @UID @Key("id") var uid: Int
  var text: String?
  var recipe: PotRecipe?
}

@Entity final class PotLabel: RemoteEntity {
  static var basePath: String { "potlabels" }
  @UID @Key("id") var uid: Int
  var text: String?
}

@Entity final class HandPotRecipe: RemoteEntity {
  static var basePath: String { "handpotrecipes" }
  @UID @Key("id") var uid: Int
  var title: String?
  @Relationship(inverse: \HandPotStep.recipe) var steps: [HandPotStep]
  var labels: [PotLabel]

  func update(with response: ResponseObject) throws {
    try response.assign("title", to: &title)
    if response.contains("sets") {
      steps = try response.upsert([HandPotStep].self, from: "steps") ?? steps
      labels = try response.upsert([PotLabel].self, from: "labels") ?? labels
    } else {
      try response.assign("steps", to: &steps)
      try response.assign("labels", to: &labels)
    }
  }
}

@Entity final class HandPotStep: RemoteEntity {
  static var basePath: String { "handpotsteps" }
  @UID @Key("id") var uid: Int
  var text: String?
  var recipe: HandPotRecipe?

  func update(with response: ResponseObject) throws { try response.assign("text", to: &text) }
}

private protocol PotAny: RemoteEntity {
  associatedtype Step: RemoteEntity
  var steps: [Step] { get set }
  var labels: [PotLabel] { get set }
}
extension PotRecipe: PotAny {}
extension HandPotRecipe: PotAny {}
private protocol PotAnyStep: RemoteEntity {
  var uid: Int { get set }
  var text: String? { get set }
}
extension PotStep: PotAnyStep {}
extension HandPotStep: PotAnyStep {}

/// Objects without uid in a list whose entity has uids: `.withoutUID(.embed)`.
@Suite(.client(entities: [PotRecipe.self, PotStep.self, PotLabel.self, HandPotRecipe.self, HandPotStep.self]))
struct UnnamedMemberTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private enum Kind: CaseIterable { case declared, hand, handThatSets }

  /// Takes a response in as each kind of recipe does, and hands the result of each to `body`.
  private func receive(_ kind: Kind, _ fields: JSONObject) async throws -> EntityCounts {
    var all = [("id", 1 as JSONValue)] + fields.map { ($0.key, $0.value) }
    if kind == .handThatSets { all.append(("sets", true)) }
    let value = JSONObject(fields: all).value
    return kind == .declared
      ? try await PotRecipe.upsert(from: value, in: store, options: .withoutUID(.embed)).counts
      : try await HandPotRecipe.upsert(from: value, in: store, options: .withoutUID(.embed)).counts
  }

  /// The row ids and texts of the members of both lists.
  private func members(_ kind: Kind) async throws -> (steps: [String], pks: [Int64], labels: [String], all: [Int]) {
    kind == .declared ? try await members(PotRecipe.self) : try await members(HandPotRecipe.self)
  }

  private func members<R: PotAny>(_ type: R.Type) async throws -> (
    steps: [String], pks: [Int64], labels: [String], all: [Int]
  ) where R.Step: PotAnyStep {
    try await store.read { context in
      let recipe = try context.fetch(R.self).first
      let steps = recipe?.steps ?? []
      return (
        steps.map { "\($0.uid) \($0.text ?? "-")" }, steps.map(\.entityID.pk),
        (recipe?.labels ?? []).map { $0.text ?? "-" },
        [try context.fetch(R.Step.self).count, try context.fetch(PotLabel.self).count]
      )
    }
  }

  /// The sample of the article.
  @Test @MainActor func `steps without uid are updated in place`() async throws {
    try StubAdapter.current.on(
      .get, "/potrecipes",
      .json([["id": 1, "steps": [["text": "Peel"], ["text": "Boil"]]]]),
      .json([["id": 1, "steps": [["text": "Peel"], ["text": "Fry"]]]]))
    // [{"id": 1, "steps": [{"text": "Peel"}, {"text": "Boil"}]}], then "Fry" in place of "Boil"
    let recipe = try #require(try await PotRecipe.get(options: .withoutUID(.embed)).objects.first)
    let steps = recipe.steps
    try await PotRecipe.get(options: .withoutUID(.embed))
    #expect(recipe.steps.map(\.entityID) == steps.map(\.entityID))
    #expect(steps.map(\.text) == ["Peel", "Fry"])
  }

  private static let list: JSONValue = [["text": "a"], ["id": 7, "text": "named"], ["text": "b"]]

  @Test(arguments: Kind.allCases) private func `the same list again updates the same rows`(_ kind: Kind) async throws {
    let fields: JSONObject = ["steps": Self.list, "labels": [["text": "x"], ["text": "y"]]]
    _ = try await receive(kind, fields)
    let first = try await members(kind)
    #expect(Set(first.steps) == ["0 a", "7 named", "0 b"])
    #expect(first.labels == ["x", "y"])
    for _ in 0..<2 { #expect(try await receive(kind, fields).rowsWritten == 0) }
    let changed: JSONObject = [
      "steps": [["id": 7, "text": "named"], ["text": "A"], ["text": "b"]], "labels": [["text": "x"], ["text": "Y"]],
    ]
    #expect(try await receive(kind, changed).rowsWritten == 2)
    let second = try await members(kind)
    #expect(Set(second.steps) == ["0 A", "7 named", "0 b"])
    #expect(second.pks == first.pks)
    #expect(second.labels == ["x", "Y"])
    #expect(try await store.read { try $0.pendingCount() } == 0)
  }

  @Test(arguments: Kind.allCases) private func `a shorter list deletes the rows that are left over`(_ kind: Kind)
    async throws
  {
    _ = try await receive(kind, ["steps": Self.list, "labels": [["text": "x"], ["text": "y"]]])
    let first = try await members(kind)
    _ = try await receive(kind, ["steps": [["text": "a"]], "labels": [["text": "x"]]])
    let second = try await members(kind)
    #expect(second.steps == ["0 a"])
    #expect(second.labels == ["x"])
    // The one with a uid is in the list no longer, and is there.
    #expect(second.all == [2, 1])
    #expect(Set(second.pks).isSubset(of: first.pks))
    _ = try await receive(kind, ["steps": [["id": 7], ["text": "a"], ["text": "c"]], "labels": []])
    let third = try await members(kind)
    #expect(Set(third.steps) == ["0 a", "7 named", "0 c"])
    #expect(third.all == [3, 0])
  }

  @Test(arguments: Kind.allCases) private func `an object that gets a uid is known by it`(_ kind: Kind) async throws {
    _ = try await receive(kind, ["steps": [["text": "a"], ["text": "b"]]])
    _ = try await receive(kind, ["steps": [["text": "b"], ["id": 3, "text": "a"]]])
    let members = try await members(kind)
    #expect(Set(members.steps) == ["0 b", "3 a"])
    #expect(members.all[0] == 2)
  }

  @Test(arguments: Kind.allCases) private func `a local edit of one member keeps all members`(_ kind: Kind) async throws
  {
    _ = try await receive(kind, ["steps": Self.list])
    let first = try await members(kind)
    try await store.background { context in
      if kind == .declared {
        try context.fetch(PotStep.self).first { $0.text == "b" }?.text = "mine"
      } else {
        try context.fetch(HandPotStep.self).first { $0.text == "b" }?.text = "mine"
      }
    }
    _ = try await receive(
      kind, ["steps": [["text": "new"], ["id": 7, "text": "changed"], ["id": 8, "text": "other"]]])
    let second = try await members(kind)
    #expect(Set(second.steps) == ["0 a", "7 changed", "0 mine", "8 other"])
    #expect(Set(first.pks).isSubset(of: second.pks))
  }

  /// One that was made here and is not sent yet is in no response.
  @Test(arguments: Kind.allCases) private func `an object that was made here stays`(_ kind: Kind) async throws {
    _ = try await receive(kind, ["steps": [["text": "a"]]])
    try await store.background { context in
      if kind == .declared {
        let step = try context.insert(PotStep.self)
        step.text = "mine"
        step.recipe = try context.fetch(PotRecipe.self).first
      } else {
        let step = try context.insert(HandPotStep.self)
        step.text = "mine"
        step.recipe = try context.fetch(HandPotRecipe.self).first
      }
    }
    _ = try await receive(kind, ["steps": [["text": "A"]]])
    #expect(try await Set(members(kind).steps) == ["0 A", "0 mine"])
    _ = try await receive(kind, ["steps": []])
    let left = try await members(kind)
    #expect(left.steps == ["0 mine"])
    #expect(left.all[0] == 1)
  }

  @Test(arguments: [PotRecipe.self, HandPotRecipe.self] as [any RemoteEntity.Type])
  func `an object without a uid that stands in no list is refused`(_ type: any RemoteEntity.Type) async throws {
    try await expectRefusal(of: type)
  }

  private func expectRefusal<E: RemoteEntity>(of type: E.Type) async throws {
    let error = try await requestError {
      try await E.upsert(from: [["title": "x"]], in: store, options: .withoutUID(.embed))
    }
    #expect((error.underlying as? MappingError)?.reason.contains("another object's list") == true)
    let link = try await requestError {
      try await PotRecipe.upsert(
        from: ["id": 1, "first_step": ["text": "x"]], in: store, options: .withoutUID(.embed))
    }
    #expect((link.underlying as? MappingError)?.key == "first_step.id")
  }

  // MARK: Not sent yet

  /// A list that lacks an object says nothing of one that the server does not know.
  @Test(arguments: [(Kind.declared, false), (.declared, true), (.hand, false), (.handThatSets, false)])
  private func `an object that a list lacks is still to be sent`(_ kind: Kind, _ overwrites: Bool) async throws {
    _ = try await receive(kind, ["steps": [["id": 7]]])
    try await store.background { context in
      if kind == .declared {
        let step = try context.insert(PotStep.self)
        step.recipe = try context.fetch(PotRecipe.self).first
      } else {
        let step = try context.insert(HandPotStep.self)
        step.recipe = try context.fetch(HandPotRecipe.self).first
      }
    }
    func pending() async throws -> [PendingChange.Kind] {
      try await kind == .declared
        ? store.pending.changes(of: PotStep.self).map(\.kind) : store.pending.changes(of: HandPotStep.self).map(\.kind)
    }
    #expect(try await pending() == [.insert])
    var fields: [(String, JSONValue)] = [("id", 1), ("steps", [["id": 7]])]
    if kind == .handThatSets { fields.append(("sets", true)) }
    let value = JSONObject(fields: fields).value
    if kind == .declared {
      try await PotRecipe.upsert(from: value, in: store, options: overwrites ? .localEdits(.overwrite) : [])
    } else {
      try await HandPotRecipe.upsert(from: value, in: store, options: overwrites ? .localEdits(.overwrite) : [])
    }
    #expect(try await pending() == [.insert])
  }
}
