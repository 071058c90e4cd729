import EntityMacros
import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

enum Booth {
  @Entity final class Ticket {
    @UID var id: Int
    var title: String
    var done: Bool
    var price: Decimal?
    var due: Date?
    var ratio: Float
    var serial: UInt64
    var page: URL?
    var key: UUID?
    var labels: [String]
    var setup: Setup = Setup(isDark: true)
    var apiToken: String?
    @Key("access_token") var access: String
    @Lazy var photo: Data?
    var owner: Agent?
    @Relationship(inverse: \Note.ticket) var notes: [Note]
  }

  @Entity final class Agent {
    @UID var id: String
    /// The name of a member of `CustomStringConvertible`, which is nothing to `print`.
    var description: String?
  }

  @Entity final class Note {
    var text: String
    var ticket: Ticket?
  }

  /// Says itself how it is printed.
  @Entity final class Memo: CustomStringConvertible {
    var text: String
    var description: String { "a memo" }
  }
}

/// `print` shows names and values of objects, snapshots and edits, and no secret.
@Suite @MainActor struct ShownValueTests {
  private static let entities: [any ManagedEntity.Type] = [
    Booth.Ticket.self, Booth.Agent.self, Booth.Note.self, Booth.Memo.self,
  ]

  private func ticket(_ store: EntityStore) throws -> Booth.Ticket {
    let ticket = try store.main.insert(Booth.Ticket.self)
    ticket.id = 7
    ticket.title = "A \"long\" one\nof two lines, and more than forty characters"
    ticket.done = true
    ticket.price = Decimal(string: "-12.5")
    ticket.due = Date(timeIntervalSince1970: 1_700_000_000)
    ticket.ratio = 0.1
    ticket.serial = .max
    ticket.page = URL(string: "https://me:pw@example.com/a?sig=s3cret#top")
    ticket.labels = ["a", "b"]
    ticket.apiToken = "s3cret"
    ticket.access = "s3cret"
    ticket.photo = Data("s3cret".utf8)
    return ticket
  }

  private static let attributes =
    #"id: 7, title: "A "long" one\nof two lines, and more than…", done: true, price: -12.5, "#
    + #"due: 2023-11-14T22:13:20Z, ratio: 0.1, serial: 18446744073709551615, page: https://…@example.com/a…, key: nil, "#
    + #"labels: ["a","b"], setup: {"isDark":true,"limits":[]}, apiToken: …, access: …, photo: …"#

  private func text(_ value: Any) -> String {
    var text = "\(value)\n\([value])\n"
    debugPrint(value, to: &text)
    dump(value, to: &text)
    return text
  }

  @Test(arguments: Place.usual) func `an object shows its values and no secret`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let ticket = try ticket(test.store)
    #expect("\(ticket)" == "Ticket(\(Self.attributes), owner: nil, notes: …)")
    try await test.store.main.save()
    #expect("\(ticket)" == "Ticket(\(Self.attributes), owner: nil, notes: …)")
    #expect("\(ticket.snapshot)" == "Ticket(\(Self.attributes), owner: nil, notes: …)")
    for value in [ticket, ticket.snapshot] as [Any] {
      #expect(!text(value).contains("s3cret") && !text(value).contains("115\n"))
    }
    #expect("\(try test.store.main.insert(Booth.Memo.self))" == "a memo")
  }

  @Test(arguments: Place.usual) func `unsaved changes name objects and properties`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    #expect("\(main.changes)" == "no changes")
    let (ann, bob) = (try main.insert(Booth.Agent.self), try main.insert(Booth.Agent.self))
    (ann.id, bob.id) = ("ann", "bob")
    try await main.save()
    ann.description = "x"
    try main.delete(bob)
    let note = try main.insert(Booth.Note.self)
    note.text = "y"
    #expect(
      "\(main.changes)" == "inserted Note(text: \"y\", ticket: nil); "
        + "changed description of Agent(id: \"ann\", description: \"x\"); deleted Agent(id: \"bob\", description: nil)")
    #expect(!text(main.changes).contains("ColumnMask"))
  }

  @Test(arguments: Place.usual) func `related objects are shown as far as they are known`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let (main, id) = (
      test.store.main,
      try await test.store.background { unit in
        let agent = try unit.insert(Booth.Agent.self)
        agent.id = "ann"
        let ticket = try unit.insert(Booth.Ticket.self)
        ticket.id = 7
        ticket.owner = agent
        try unit.insert(Booth.Note.self).ticket = ticket
        return ticket.entityID
      }
    )
    let ticket = try #require(try main.object(id))
    #expect("\(ticket)".contains("owner: Agent (row "))
    let agent = ticket.owner
    #expect("\(agent as Any)" == "Optional(Agent(id: \"ann\", description: nil))")
    #expect("\(ticket)".hasSuffix("owner: Agent ann, notes: …)"))
    let notes = ticket.notes
    #expect("\(ticket)".hasSuffix("owner: Agent ann, notes: 1 object)"))
    #expect(main.statistics.lists == 1 && main.statistics.faults == 1)
    withExtendedLifetime((agent, notes)) {}
  }

  @Test(arguments: Place.usual) func `a printed object is up to date and says where it stands`(_ place: Place)
    async throws
  {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let agent = try main.insert(Booth.Agent.self)
    agent.id = "ann"
    try await main.save()
    let id = agent.entityID
    try await test.store.background { try $0.object(id)?.description = "new" }
    #expect("\(agent)" == #"Agent(id: "ann", description: "new")"#)
    try await test.store.background { unit in try unit.object(id).map { try unit.delete($0) } }
    #expect("\(agent)" == #"deleted Agent(id: "ann", description: "new")"#)
    let loose = Booth.Note()
    loose.text = "x"
    loose.ticket = Booth.Ticket()
    #expect("\(loose)" == #"Note(text: "x", ticket: Ticket, not inserted)"#)
  }

  @Test(arguments: Place.usual) func `an object whose store is gone shows its last values`(_ place: Place) async throws
  {
    var (agent, fault): (Booth.Agent?, Booth.Agent?)
    do {
      let test = try TestStore(place, Self.entities)
      let made = try test.store.main.insert(Booth.Agent.self)
      made.id = "ann"
      let note = try test.store.main.insert(Booth.Ticket.self)
      note.owner = made
      try await test.store.main.save()
      let ids = try await test.store.background { unit in
        let other = try unit.insert(Booth.Agent.self)
        other.id = "bob"
        let ticket = try unit.insert(Booth.Ticket.self)
        ticket.owner = other
        return ticket.entityID
      }
      fault = try test.store.main.object(ids)?.owner
      agent = made
    }
    #expect("\(try #require(agent))" == #"Agent(id: "ann", description: nil)"#)
    let text = "\(try #require(fault))"
    #expect(text.hasPrefix("Agent (row ") && text.hasSuffix("), not read"))
  }

  @Test(arguments: Place.usual) func `pending changes show their values and no secret`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let made = try test.store.main.insert(Booth.Ticket.self)
    made.title = "x"
    made.done = true
    made.access = "s3cret"
    try await test.store.main.save()
    let inserts = try await test.store.pending.changes()
    #expect("\(inserts[0])" == #"Ticket (row 1): it was made here, with title "x", done true, access …"#)
    #expect("\(made.pendingColumns)" == "title, done, access")
    #expect(!text(inserts).contains("s3cret") && !text(made.pendingColumns).contains("ColumnMask"))
    made.id = 7
    try await test.store.pending.acknowledge(inserts[0])
    made.title = "y"
    made.access = "s3cret too"
    try await test.store.main.save()
    let edits = try await test.store.pending.changes()
    #expect(
      edits.map(\.description).joined().contains(#"title was edited from "x" to "y", access was edited from … to …"#))
    #expect(!text(edits).contains("s3cret"))
  }

  @Test(arguments: Place.usual) func `commits name entities and properties`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    var commits = test.store.commits.makeAsyncIterator()
    let id = try await test.store.background { try $0.insert(Booth.Agent.self).entityID }
    let commit = try #require(await commits.next())
    #expect("\(commit)".hasSuffix(": Agent") && !text(commit).contains("EntityModel"))
    try await test.store.background { try $0.object(id)?.description = "new" }
    let change = try #require(await commits.next()?.changes(of: Booth.Agent.self))
    #expect(change.updated.map { "\($0.columns)" } == ["description"])
    #expect(!text(change).contains("EntityModel"))
  }
}
