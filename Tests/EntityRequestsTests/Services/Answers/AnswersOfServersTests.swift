import EntityClient
import EntityTesting
import Foundation
import Testing

/// Answers with all that the real servers send: some 30 keys that no property reads, nulls, objects in objects that have the
/// same keys, links to several pages, dates in the form of each server. The README beside this file names who recorded them.
@Suite @MainActor struct AnswersOfServersTests {
  /// What a server is asked for, and what it says.
  struct Expectation: Sendable, CustomTestStringConvertible {
    let server: AnsweringServer
    let rows: [String]
    /// An object that the server makes.
    let made: String
    let edits: (taken: String, refused: String)
    let refusal: (status: Int, words: String)

    var testDescription: String { server.name }
  }

  nonisolated static let servers = [
    Expectation(
      server: .github,
      rows: [
        "2400000009 No drawing of the shaft", "2400000011 Measure the shaft before each run",
        "2400000012 The cog slips under load",
      ], made: "2400000013 Count the teeth", edits: ("The cog slips above 40 turns", ""),
      refusal: (422, "Validation Failed")),
    Expectation(
      server: .shopify,
      rows: [
        "8800000000101 Wide bowl", "8800000000102 Tall cup", "8800000000103 Squat jug", "8800000000104 Deep dish",
        "8800000000105 Salt cellar",
      ], made: "8800000000109 Flat plate", edits: ("Wide bowl, blue", ""), refusal: (422, "can't be blank")),
    Expectation(
      server: .stripe,
      rows: ["cus_Made0Up1pW4zR1 Cy Holt", "cus_Made0Up2kT9xR2 -", "cus_Made0Up3a7BqR3 Ann Reed"],
      made: "cus_Made0Up4mV1cR4 Di Marsh", edits: ("Ann Reed-Holt", "Ann Reed-Holt of Ghent"),
      refusal: (400, "The name has too many characters.")),
    Expectation(
      server: .wordPress, rows: ["28 Cabbage", "31 A crock", "33 Brine & patience"], made: "34 Lids",
      edits: ("Brine & time", ""),
      refusal: (403, "Sorry, you are not allowed to edit this post.")),
    Expectation(
      server: .mastodon, rows: ["114000000000000011 -", "114000000000000012 -", "114000000000000013 -"],
      made: "114000000000000014 Low tide", edits: ("New rope & old mast", String(repeating: "Rope, ", count: 90)),
      refusal: (422, "Gültigkeitsprüfung ist fehlgeschlagen: Text Begrenzung von 500 Zeichen überschritten")),
    Expectation(
      server: .redmine, rows: ["501 Door of shed 2 jams", "502 Roof drips", "503 Gate has no lock"],
      made: "504 Paint the rail", edits: ("Door of shed 2 scrapes", ""), refusal: (422, "Subject cannot be blank")),
    Expectation(
      server: .postgREST, rows: ["1 Ada Lind", "2 Ben Roe", "3 Cat Yew"], made: "4 Dan Ash",
      edits: ("Ada Lind-Roe", "Ben Roe"),
      refusal: (409, #"duplicate key value violates unique constraint "users_name_key""#)),
    Expectation(
      server: .odata, rows: ["kai Kai", "liv Liv", "o'neil Oona"], made: "bo Bo", edits: ("Oonagh", ""),
      refusal: (400, "The first name must not be empty.")),
    Expectation(
      server: .fhir, rows: ["a-101 female", "b-102 -", "c-103 other"], made: "d-104 male", edits: ("other", "x"),
      refusal: (400, #"HAPI-1821: [element="gender"] The code 'x' is not known"#)),
    Expectation(
      server: .salesforce, rows: ["001MADEUP000001AAA Acme Rail", "001MADEUP000002AAA Bolt & Sons"],
      made: "001MADEUP000003AAA Cog Works", edits: ("Acme Rail & Road", ""),
      refusal: (400, "Required fields are missing: [Name]")),
  ]

  @Test(arguments: servers)
  func `a list is walked, objects are read, edited, made and deleted, and a refusal tells its words`(
    _ expected: Expectation
  ) async throws {
    let server = expected.server
    let store = try EntityStore(.inMemory, entities: server.entities)
    let recording = try RecordingAdapter(server.name)
    try await server.within(recording, store) { () async throws in
      #expect(try await server.walk().inserted == expected.rows.count)
      #expect(try await server.rows(store) == expected.rows)
    }
    // A second sync.
    try await server.within(try RecordingAdapter(server.name), store) { () async throws in
      #expect(try await server.walk().rowsWritten == 0)
    }
    try await server.within(recording, store) {
      let (counts, edit) = try await server.read()
      #expect(counts.rowsWritten == 0, "an object of the list by itself")
      try await edit.send(expected.edits.taken)
      #expect(edit.value() == expected.edits.taken)
      #expect(!edit.hasChanges())
      let error = try await requestError { try await edit.send(expected.edits.refused) }
      #expect(error.kind == .status)
      #expect(error.status == expected.refusal.status)
      #expect(error.serverMessage == expected.refusal.words)
      #expect(!error.description.contains(expected.refusal.words))
      #expect(edit.hasChanges())
      let value = expected.made.drop { $0 != " " }.dropFirst()
      let made = try await server.make(store, String(value))
      #expect(made.row == expected.made)
      #expect(!made.hasChanges)
      #expect(try await server.rows(store).contains(expected.made))
      if server.deletes {
        try await made.delete()
        #expect(try await !server.rows(store).contains(expected.made))
      }
    }
    try recording.finish()
  }

  /// Salesforce's words about a query stand on several lines, Shopify's are a text in place of an object, and Redmine has none:
  /// its body is empty, though the content type says JSON. A 429 has no other fields than the type and the wait.
  @Test(
    arguments: [
      (
        .salesforce, "query?q=x", 400,
        """

        Name FROM Account WHERE (Id = 'x') LIMIT 1
                                   ^
        ERROR at Row:1:Column:38
        invalid ID field: x
        """
      ), (.shopify, "products/8800000000199.json", 404, "Not Found"), (.redmine, "issues/999.json", 404, nil),
      (
        .shopify, "products.json?limit=250", 429,
        "Exceeded 4 calls per second for api client. Reduce request rates to resume uninterrupted service."
      ),
    ] as [(AnsweringServer, String, Int, String?)])
  func `a refusal of another form tells its words`(
    _ server: AnsweringServer, _ path: String, _ status: Int, _ words: String?
  ) async throws {
    let recording = try RecordingAdapter("refusals", order: .any)
    let client = try Client(adapter: recording, baseURL: server.baseURL, verdict: server.verdict)
    let error = try await requestError { try await client.get(path) }
    #expect(error.kind == .status)
    #expect(error.status == status)
    #expect(error.serverMessage == words)
    if let words { #expect(!error.description.contains(words)) }
  }

  /// A card that the bank declines, and an amount of nothing. The bodies end with a line feed.
  @Test(
    arguments: [
      ("payment_methods/pm_card_chargeDeclined/attach", ["customer": "cus_Made0Up3a7BqR3"], 402, "Your card was"),
      ("payment_intents", ["amount": 0, "currency": "usd"], 400, "The amount must be greater than or equal to the"),
    ] as [(String, QueryParameters, Int, String)])
  func `a refusal of a payment tells its words`(
    _ path: String, _ form: QueryParameters, _ status: Int, _ words: String
  ) async throws {
    let recording = try RecordingAdapter("refusals", order: .any)
    let server = AnsweringServer.stripe
    let client = try Client(adapter: recording, baseURL: server.baseURL, verdict: server.verdict)
    let error = try await requestError { try await client.post(path) { try $0.setForm(form) } }
    #expect(error.kind == .status)
    #expect(error.status == status)
    #expect(error.serverMessage?.hasPrefix(words) == true)
    #expect(!error.description.contains(words))
  }

  @Test func `a connection of GraphQL is walked, and both forms of a refusal tell their words`() async throws {
    let store = try EntityStore(.inMemory, entities: [GraphQLFilm.self])
    let recording = try RecordingAdapter("graphql")
    func within(_ recording: RecordingAdapter, _ body: @MainActor () async throws -> Void) async throws {
      let client = try Client(
        adapter: recording, store: store, baseURL: "https://films.example.com/", verdict: .errors())
      try await Client.withClient(client) { try await body() }
    }
    try await within(recording) { () async throws in
      #expect(try await GraphQLFilm.connection().all().counts.inserted == 3)
      let films = try store.main.fetch(GraphQLFilm.all).sorted { $0.uid < $1.uid }
      #expect(films.map(\.title) == ["The Lock", nil, "Low Water"])
    }
    try await within(try RecordingAdapter("graphql")) { () async throws in
      #expect(try await GraphQLFilm.connection().all().counts.rowsWritten == 0)
    }
    try await within(recording) {
      for (status, words) in [(400, "The cursor is of another list."), (200, "The list is closed to you.")] {
        let error = try await requestError { try await GraphQLFilm.connection().all() }
        #expect(error.kind == .status)
        #expect(error.status == status)
        #expect(error.serverMessage == words)
      }
      #expect(try store.main.count(GraphQLFilm.all) == 3)
    }
    try recording.finish()
  }
}

// MARK: The servers

extension AnsweringServer {
  static let github = AnsweringServer(
    GitHubIssue.self, "github", [GitHubIssue.self], baseURL: "https://api.github.example/",
    verdict: .words(at: "message"),
    pages: {
      GitHubIssue.pages(
        query: ["state": "all", "per_page": 2], by: .link, options: .deleteMissing(in: GitHubIssue.all))
    },
    object: { try await GitHubIssue.get("12") }, property: \.title, uid: { "\($0.uid)" },
    send: { try await $0.patch(\.title) },
    create: { try await $0.post(\.title) }, delete: nil)

  static let shopify = AnsweringServer(
    ShopifyProduct.self, "shopify", [ShopifyProduct.self], baseURL: "https://shop.example.com/admin/api/2026-10/",
    verdict: .words(at: "errors"),
    pages: {
      ShopifyProduct.pages(query: ["limit": 2], by: .link, options: .deleteMissing(in: ShopifyProduct.all))
    },
    object: { try await ShopifyProduct.get(uid: 8_800_000_000_101) }, property: \.title, uid: { "\($0.uid)" },
    send: { try await $0.put(\.title) },
    create: { try await $0.post(\.title) })

  static let stripe = AnsweringServer(
    StripeCustomer.self, "stripe", [StripeCustomer.self], baseURL: "https://api.stripe.example/v1/",
    verdict: .words(at: "error.message"),
    pages: {
      StripeCustomer.pages(
        query: ["limit": 2], by: .cursor(ofLast: "id", parameter: "starting_after", more: "has_more"),
        options: .deleteMissing(in: StripeCustomer.all))
    },
    object: { try await StripeCustomer.get("cus_Made0Up3a7BqR3") }, property: \.name, uid: { $0.uid },
    send: { customer in try await customer.post(to: customer.uid) { try $0.setForm(customer.jsonObject(for: \.name)) }
    },
    create: { customer in try await customer.post { try $0.setForm(customer.jsonObject(for: \.name)) } })

  static let wordPress = AnsweringServer(
    WordPressPost.self, "wordpress", [WordPressPost.self], baseURL: "https://blog.example/wp-json/wp/v2/",
    verdict: .words(at: "message"),
    pages: {
      WordPressPost.pages(
        query: ["context": "edit", "per_page": 2], by: .numbers(size: 2, total: .header("X-WP-Total")),
        options: .deleteMissing(in: WordPressPost.all))
    },
    object: { try await WordPressPost.get("33", query: ["context": "edit"]) }, property: \.title, uid: { "\($0.uid)" },
    send: { try await $0.put(\.title) },
    create: { try await $0.post(\.title) }, delete: { try await $0.delete(query: ["force": true]) })

  static let mastodon = AnsweringServer(
    MastodonStatus.self, "mastodon", [MastodonStatus.self], baseURL: "https://social.example/api/v1/",
    verdict: .words(at: "error"),
    pages: {
      MastodonStatus.pages(
        "/api/v1/timelines/home", query: ["limit": 2], by: .links("next", places: ["max_id", "min_id", "since_id"]),
        options: .deleteMissing(in: MastodonStatus.all))
    },
    object: { try await MastodonStatus.get("114000000000000013") }, property: \.text, uid: { $0.uid },
    send: { try await $0.put(\.text) },
    create: { try await $0.post(\.text) })

  static let redmine = AnsweringServer(
    RedmineIssue.self, "redmine", [RedmineIssue.self, RedmineRelation.self], baseURL: "https://redmine.example.com/",
    verdict: .words(at: "errors"),
    pages: {
      RedmineIssue.pages(
        query: ["status_id": "*", "sort": "id", "limit": 2], by: .offsets(size: 2, total: .body("total_count")),
        options: .deleteMissing(in: RedmineIssue.all))
    },
    object: { try await RedmineIssue.get(uid: 501) }, property: \.subject, uid: { "\($0.uid)" },
    send: { try await $0.put(\.subject) },
    create: { try await $0.post(\.subject) })

  static let postgREST = AnsweringServer(
    PostgRESTUser.self, "postgrest", [PostgRESTUser.self, PostgRESTPost.self], baseURL: "https://db.example.com/",
    verdict: .words(at: "message"),
    pages: {
      PostgRESTUser.pages(query: ["order": "id"], by: .ranges(size: 2), options: .deleteMissing(in: PostgRESTUser.all))
    },
    object: { try await PostgRESTUser.get(uid: 1) }, property: \.name, uid: { "\($0.uid)" },
    send: { try await $0.patch(\.name) },
    create: { try await $0.post(\.name) })

  static let odata = AnsweringServer(
    ODataPerson.self, "odata", [ODataPerson.self, ODataTrip.self], baseURL: "https://odata.example.com/service/",
    verdict: .words(at: "error.message"),
    pages: {
      ODataPerson.pages(
        query: ["$count": true], by: .body(#"@odata\.nextLink"#, mayBeAbsent: true),
        options: .deleteMissing(in: ODataPerson.all))
    },
    object: { try await ODataPerson.get(uid: "o'neil") }, property: \.firstName, uid: { $0.uid },
    send: { try await $0.patch(\.firstName) },
    create: { try await $0.post(\.firstName) })

  static let fhir = AnsweringServer(
    FHIRPatient.self, "fhir", [FHIRPatient.self], baseURL: "https://fhir.example.com/r4/",
    verdict: .words(at: "issue[0].diagnostics"),
    pages: {
      FHIRPatient.pages(
        query: ["_count": 2], by: .listedLinks("link", relation: "relation", url: "url"),
        options: .deleteMissing(in: FHIRPatient.all))
    },
    object: { try await FHIRPatient.get("a-101") }, property: \.gender, uid: { $0.uid },
    send: { try await $0.replace() },
    create: { patient in
      try await patient.post {
        try $0.setHeaders(["Content-Type": "application/fhir+json"])
        try $0.setJSON(patient.jsonObject(for: \.resourceType, \.gender))
      }
    })

  static let salesforce = AnsweringServer(
    SalesforceAccount.self, "salesforce", [SalesforceAccount.self],
    baseURL: "https://crm.example.com/services/data/v60.0/",
    verdict: .words(at: "[0].message"),
    pages: { SalesforceAccount.query("SELECT FIELDS(ALL) FROM Account LIMIT 200") },
    object: { try await SalesforceAccount.get(uid: "001MADEUP000001AAA") }, property: \.name, uid: { $0.uid },
    send: { try await $0.patch(\.name) },
    create: { try await $0.post(\.name) })
}
