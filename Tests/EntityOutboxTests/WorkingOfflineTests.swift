import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import Observation
import Testing

// The code of the article "Working offline"; the tests below run it.

@Entity final class Site: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String
  @Relationship(inverse: \Visit.site) var visits: [Visit]

  static var basePath: String { "sites" }
}

@Entity final class Visit: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: String
  var note: String?
  var site: Site?

  static var basePath: String { "visits" }
  static var outbox: OutboxRules<Visit> { [.rest, .lookingUp(by: \.number)] }
}

@Entity final class Errand: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var visit: Visit  // not optional: an errand can't be created before its visit

  static var basePath: String { "errands" }
}

@Entity final class Charge: OutboxEntity {
  @UID @Key("id") var uid: Int
  var amount: Int

  static var basePath: String { "charges" }
  static var outbox: OutboxRules<Charge> { [.rest, .idempotencyKey()] }
}

@Entity final class Reading: OutboxEntity {
  @UID @Key("id") var uid: UUID  // made here
  var value: Double

  static var basePath: String { "readings" }
  static var outbox: OutboxRules<Reading> { [.creating(.put), .updating(.put, carrying: .all)] }
}

@Entity final class Report: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String

  static var basePath: String { "reports" }
  static var outbox: OutboxRules<Report> {
    [
      .request(to: .create) { report, change in
        var request = try Report.request(.post, "import")
        try request.setJSON(["text": report.text, "fields": change.properties])
        return request
      },
      .verdict { $0.headers["X-Failed"].map { .refused($0) } },  // a refusal with status 200
    ]
  }
}

@Entity final class Inspection: OutboxEntity {
  @UID @Key("id") var uid: Int
  var result: String

  static var basePath: String { "inspections" }
  static var outbox: OutboxRules<Inspection> {
    [
      .rest,
      .attachment("photo", .put("photo")),  // PUT inspections/7/photo
      .attachment("video", .tus("/files", fields: { ["inspection": "\($0.uid)"] })),  // in pieces
    ]
  }
}

/// Copies the photo, and returns before it is uploaded.
func add(_ photo: URL, to id: EntityID<Inspection>, in outbox: Outbox) async throws {
  try await outbox.attach(photo, as: "photo", to: id, contentType: "image/jpeg")
}

/// The lines below an inspection: "oslo.mp4: 40 %".
@MainActor func uploads(of id: EntityID<Inspection>, _ live: LiveOutbox) -> [String] {
  live.uploads.filter { $0.object == id.untyped }.map { "\($0.filename): \(Int($0.fraction * 100)) %" }
}

@Entity final class Recipe: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var text: String?
  var likes: Int = 0

  static var basePath: String { "recipes" }
  static var outbox: OutboxRules<Recipe> {
    [
      .ifMatch(.etag),  // or .attribute(\.version), or .body(\.lockVersion) for Rails
      .merging(
        .byColumn(
          .merge(\Recipe.Columns.likes) { base, mine, theirs in theirs + (mine - base) },
          .column(\Recipe.Columns.title, .theirs),
          .column(\Recipe.Columns.text, .fail))),  // a person decides
    ]
  }
}

/// A person has chosen between two texts.
func choose(_ text: String, for item: OutboxItem, in outbox: Outbox) async throws {
  for conflict in try await outbox.conflicts(of: item) where conflict.property == "text" {
    try await outbox.settle(conflict, .value(text))
  }
}

struct Publish: OutboxCommand {
  static let name = "publish"
  var channel: String

  func request(for article: Article) throws -> URLRequest {
    var request = try Article.request(.post, "\(article.uid)/publish")
    try request.setJSON(["channel": channel])
    return request
  }
  func apply(to article: Article) { article.status = "published" }  // shown at once
}

@Entity final class Article: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var status: String?

  static var basePath: String { "articles" }
  static var outbox: OutboxRules<Article> { [.idempotencyKey(), .command(Publish.self)] }
}

func publish(_ id: EntityID<Article>, in outbox: Outbox) async throws {
  try await outbox.enqueue(Publish(channel: "news"), on: id)
}

@MainActor func startSending(_ client: Client) throws -> LiveOutbox {
  let outbox = try Outbox(client)  // one for each store
  outbox.start()  // sends now, after each save, and after each pause
  return LiveOutbox(outbox)  // holds the outbox
}

/// The line at the top of the screen: "3 waiting, 1 refused".
@MainActor func headline(_ live: LiveOutbox) -> String {
  let held = [
    (live.refused, "refused"), (live.unknown, "unknown"), (live.conflicts, "in conflict"),
    (live.keptAside, "deleted by the server"),
  ]
  let waiting = live.count - held.reduce(0) { $0 + $1.0.count }
  var parts = waiting > 0 ? ["\(waiting) waiting"] : []
  for (items, name) in held where !items.isEmpty { parts.append("\(items.count) \(name)") }
  if case .offline = live.pause { parts.append("offline") }
  return parts.isEmpty ? "All sent" : parts.joined(separator: ", ")
}

/// The visits that a person has to look at.
@MainActor func troubled(_ store: EntityStore) -> LiveQuery<Visit> {
  LiveQuery(Visit.where { $0.isRefused || $0.isInConflict || $0.isGone }, in: store)
}

/// The mark beside an errand in its list.
@MainActor func badge(_ errand: Errand) -> String {
  switch errand.sendState {
  case .sent: "✓"
  case .waiting, .sending: "↑"
  case .refused(let item): "! \(item.reason ?? "refused")"
  case .unknown, .conflict, .gone: "?"
  case .blocked(let items): "waits for \(items.map(\.object.entityName).joined(separator: ", "))"
  }
}

/// The errors of fields in the body of a refusal: `{"number": ["is taken"]}`.
func fieldErrors(_ item: OutboxItem) -> [String: [String]] {
  (try? item.model(as: [String: [String]].self)) ?? [:]
}

/// A person has looked for the object on the server.
func settle(_ item: OutboxItem, foundAs uid: Int?, in outbox: Outbox) async throws {
  if let uid {
    try await outbox.confirm(item, .happened(uid: uid))
  } else {
    try await outbox.confirm(item, .didNotHappen)  // sent again, with the same bytes
  }
}

/// A background task that the system grants.
func sendInBackground(_ outbox: Outbox) async throws -> Bool {
  let pass = try await outbox.send()
  print("\(pass.sent) sent, \(pass.refused) refused, \(pass.left) left")
  return pass.left == 0
}

@Suite(
  .client(
    entities: [
      Site.self, Visit.self, Errand.self, Charge.self, Reading.self, Report.self, Recipe.self, Inspection.self,
      Article.self,
    ]))
struct WorkingOfflineTests {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }
  private var store: EntityStore { get throws { try Client.current.store } }

  /// Waits until the state that a screen shows is as expected.
  @MainActor private func wait(_ live: LiveOutbox, until condition: (LiveOutbox) -> Bool) async {
    while !condition(live) {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = live.count
        } onChange: {
          continuation.resume()
        }
      }
      await Task.yield()
    }
  }

  /// A visit, and three errands that can't be created before it.
  private func fill() async throws {
    try await store.background { context in
      let visit = try context.insert(Visit.self)
      visit.number = "V-1"
      for text in ["read the meter", "change the seal", "take a photo"] {
        let errand = try context.insert(Errand.self)
        errand.text = text
        errand.visit = visit
      }
    }
  }

  @Test @MainActor func `a screen shows three waiting and one refused`() async throws {
    try stub.on(.post, "/visits", .json(["number": ["is taken"]], status: 400))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    let live = LiveOutbox(outbox)
    try await fill()
    try await outbox.send()
    await wait(live) { $0.refused.count == 1 }
    #expect(headline(live) == "3 waiting, 1 refused")
    let errand = try #require(try store.main.fetch(Errand.all).first)
    #expect(badge(errand) == "waits for Visit")
    let item = try #require(live.refused.first)
    #expect(fieldErrors(item) == ["number": ["is taken"]])

    // The edit of a refused object is the answer to the refusal.
    try stub.on(.post, "/visits", .json(["id": 7, "number": "V-2"], status: 201))
    try stub.on(.post, "/errands", .json(["id": 1]), .json(["id": 2]), .json(["id": 3]))
    try await store.background { context in try context.fetch(Visit.all).first?.number = "V-2" }
    #expect(try await sendInBackground(outbox))
    await wait(live) { $0.count == 0 }
    #expect(headline(live) == "All sent")
    #expect(badge(errand) == "✓")
    let body = try #require(try stub.requests(.post, "/errands").first?.json)
    #expect(body["visit"]?.int == 7)
  }

  @Test @MainActor func `a started outbox sends what was saved`() async throws {
    try stub.on(.post, "/sites", .json(["id": 1], status: 201))
    try await store.background { context in try context.insert(Site.self).name = "North" }
    let live = try startSending(Client.current)
    for try await changes in try store.pending.updates() where try changes.get().isEmpty { break }
    await wait(live) { $0.count == 0 }
    #expect(try stub.requests.count == 1)
  }

  @Test @MainActor func `a photo goes to the URL that its inspection gets`() async throws {
    let folder = try TestFolder()
    let photo = folder.file("oslo.jpg")
    try Data("photo".utf8).write(to: photo)
    try stub.on(.post, "/inspections", .failure(.connection), .json(["id": 7], status: 201))
    try stub.on(.put, "/inspections/7/photo", .json(nil, status: 204))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    let id = try await store.background { context in
      let inspection = try context.insert(Inspection.self)
      inspection.result = "dry"
      return inspection.entityID
    }
    try await add(photo, to: id, in: outbox)
    try FileManager.default.removeItem(at: photo)
    try await outbox.send()
    let live = LiveOutbox(outbox)
    await wait(live) { $0.uploads.count == 1 }
    #expect(uploads(of: id, live) == ["oslo.jpg: 0 %"])
    try await outbox.send()
    #expect(try stub.requests.last?.url.path == "/inspections/7/photo")
    #expect(try stub.requests.last?.body == Data("photo".utf8))
  }

  @Test func `a visit that was made offline is sent once`() async throws {
    // The first connection fails, then the answer is lost, and then the server is asked.
    try stub.on(.post, "/visits", .failure(.connection), .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/visits", query: ["number": "V-1"], .json([["id": 7, "number": "V-1"]]))
    let clock = VirtualClock()
    let outbox = try Outbox(Client.current, clock: clock)
    let id = try await store.background { context in
      let visit = try context.insert(Visit.self)
      visit.number = "V-1"
      return visit.entityID
    }
    for _ in 1...3 {
      try await outbox.send()  // a pass ends with the first failure
      clock.advance(by: .seconds(31))
    }
    #expect(try stub.requests.map(\.method) == [.post, .post, .get])
    #expect(try await store.read { try $0.object(id)?.uid } == 7)
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `a key, a uid of one's own and a person keep creates from doubling`() async throws {
    let lost = StubAnswer.failure(.timeout, mayHaveBeenProcessed: true)
    try stub.on(.post, "/charges", lost, .json(["id": 5, "amount": 3], status: 201))
    let uid = UUID()
    try stub.on(.put, "/readings/*", lost, .json(["id": JSONValue(uid.uuidString), "value": 1.5]))
    try stub.on(.post, "/sites", lost)
    let clock = VirtualClock()
    let outbox = try Outbox(Client.current, clock: clock)
    try await store.background { context in
      try context.insert(Charge.self).amount = 3
      let reading = try context.insert(Reading.self)
      (reading.uid, reading.value) = (uid, 1.5)
      try context.insert(Site.self).name = "North"
    }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    try await outbox.send()
    let charges = try stub.requests(.post, "/charges")
    #expect(charges.count == 2)
    #expect(charges[0].headers["Idempotency-Key"] != nil)
    #expect(charges[0].headers["Idempotency-Key"] == charges[1].headers["Idempotency-Key"])
    #expect(try stub.requests(.put, "/readings/*").count == 2)
    #expect(try stub.requests(.post, "/sites").count == 1)
    let item = try #require(try await outbox.items().first)
    #expect(item.state == .unknown)
    try await settle(item, foundAs: 9, in: outbox)
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await store.read { try $0.fetch(Site.all).first?.uid } == 9)
  }

  @Test func `a rule makes the request, and says what a refusal is`() async throws {
    try stub.on(
      .post, "/reports/import", .json(["id": 1], headers: ["X-Failed": "too short"]), .json(["id": 1], status: 201))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    try await store.background { context in try context.insert(Report.self).text = "fine" }
    try await outbox.send()
    let item = try #require(try await outbox.items().first)
    #expect(item.reason == "too short")
    try await outbox.retry(item)
    #expect(try await outbox.send().left == 0)
    #expect(try stub.requests.last?.json?["fields"]?.array?.compactMap(\.string) == ["text"])
  }

  /// The text of a plan, with times and a key that are the same at each run.
  private func text(_ plan: OutboxPlan) -> String {
    plan.description
      .replacing(/(\d{4}-\d\d-\d\d )?\d\d:\d\d(:\d\d)?/) { $0.2 == nil ? "10:31" : "10:31:30" }
      .replacing(/row \d+/, with: "row 2").replacing(/in \d+ s/, with: "in 2 s").replacing(
        /key [0-9a-f]{4}…/, with: "key 5f0c…")
  }

  @Test func `a plan says what waits for what`() async throws {
    try stub.on(.get, "/sites", .json([["id": 10, "name": "North"]]))
    _ = try await Site.get()
    let lost = StubAnswer.failure(.timeout, mayHaveBeenProcessed: true)
    try stub.on(.post, "/visits", .json(["number": ["is taken"]], status: 400))
    try stub.on(.post, "/charges", lost)
    try stub.on(.post, "/sites", lost)
    let clock = VirtualClock()
    let outbox = try Outbox(Client.current, clock: clock)
    try await fill()
    try await store.background { context in
      try context.insert(Charge.self).amount = 3
      try context.insert(Site.self).name = "West"
    }
    try await outbox.send()
    clock.advance(by: .seconds(10))
    let errand = try await store.background { context in
      try context.fetch(Site.where { $0.uid == 10 }).first?.name = "North Street"
      let visit = try context.insert(Visit.self)
      visit.number = "V-2"
      let site = try context.insert(Site.self)
      site.name = "South"
      visit.site = site
      return try #require(try context.fetch(Errand.all).first).entityID
    }
    let shown = try await text(outbox.plan())
    let part = try await text(outbox.explain(errand))
    #expect(
      shown == """
        not started: call start() or send()
        1  POST   charges   amount            key 5f0c…; sent again, because the answer was lost; waits until 10:31:30
        2  PATCH  sites/10  name              ready
        3  POST   sites     name              ready
        4  POST   visits    number, site ‹3›  after 3
        -  POST   visits    number            refused 400 by the server at 10:31; edit it, retry or drop it
        -  POST   errands   text, visit       waits for visits (row 2), which was refused
        -  POST   errands   text, visit       waits for visits (row 2), which was refused
        -  POST   errands   text, visit       waits for visits (row 2), which was refused
        -  POST   sites     name              unknown since 10:31: the answer was lost, and nothing says how to ask; confirm or drop it
        """)
    #expect(
      part == """
        not started: call start() or send()
        -  POST  visits   number       refused 400 by the server at 10:31; edit it, retry or drop it
        -  POST  errands  text, visit  waits for visits (row 2), which was refused
        """)
  }

  @Test func `a plan says why the outbox pauses`() async throws {
    try stub.on(.post, "/sites", .failure(.connection))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    try await store.background { context in try context.insert(Site.self).name = "North" }
    outbox.start()
    try await outbox.settled { $0.pause != nil }
    #expect(
      try await text(outbox.plan()) == """
        paused: offline, next try in 2 s (jitter 0…2 s, 1 failure)
        1  POST  sites  name  ready
        """)
  }

  @Test func `two people edit a recipe, and the third value is a person's`() async throws {
    try stub.on(
      .get, "/recipes/1", .json(["id": 1, "title": "Soup", "text": "Boil.", "likes": 1], headers: ["ETag": "\"1\""]),
      .json(["id": 1, "title": "Stew", "text": "Simmer.", "likes": 11], headers: ["ETag": "\"2\""]))
    try stub.on(
      .patch, "/recipes/1", .status(412),
      .json(["id": 1, "title": "Stew", "text": "Boil, then simmer.", "likes": 13], headers: ["ETag": "\"3\""]))
    // The outbox says that responses have versions, so it comes first.
    let outbox = try Outbox(Client.current)
    let id = try #require(try await Recipe.get("1").ids.first)
    try await store.background { context in
      let recipe = try #require(try context.object(id))
      (recipe.title, recipe.text, recipe.likes) = ("My soup", "Boil long.", 3)
    }
    try await outbox.send()
    let item = try #require(try await outbox.items().first)
    #expect(item.state == .conflict)
    try await choose("Boil, then simmer.", for: item, in: outbox)
    try await outbox.send()
    let sent = try #require(try stub.requests(.patch, "/recipes/1").last)
    #expect(sent.headers["If-Match"] == "\"2\"")
    #expect(sent.json == ["likes": 13, "text": "Boil, then simmer."])
    #expect(try await store.background { try $0.object(id)?.title } == "Stew")
    #expect(try await store.pending.count() == 0)
  }

  @MainActor @Test func `a query finds what a person has to look at`() async throws {
    try stub.on(.post, "/visits", .json(["number": ["is taken"]], status: 400))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    let live = try troubled(store)
    try await store.background { context in try context.insert(Visit.self).number = "V-9" }
    #expect(live.objects.isEmpty)
    try await outbox.send()
    #expect(live.objects.map(\.number) == ["V-9"])
    #expect(try #require(live.objects.first).sendState != .sent)
  }

  @Test func `a command shows its effect at once`() async throws {
    try stub.on(.get, "/articles/7", .json(["id": 7, "text": "New", "status": "draft"]))
    try stub.on(.post, "/articles/7/publish", .status(204))
    let id = try #require(try await Article.get("7").ids.first)
    let outbox = try Outbox(Client.current)
    try await publish(id, in: outbox)
    #expect(try await store.background { try $0.object(id)?.status } == "published")
    try await outbox.send()
    #expect(try stub.requests(.post, "/articles/7/publish").count == 1)
    #expect(try await store.pending.count() == 0)
  }

  @Test func `the log tells claims and ends`() async throws {
    try stub.on(.post, "/sites", .json(["id": 1], status: 201))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    let log = outbox.log
    try await store.background { context in try context.insert(Site.self).name = "North" }
    try await outbox.send()
    var lines: [String] = []
    for await line in log.prefix(2) { lines.append(line.description) }
    #expect(
      lines == ["POST https://api.example.com/sites: sending", "POST https://api.example.com/sites: done 201"])
  }
}
