import EntityClient
import EntityTesting
import Foundation
import Testing

/// Entities that read most of what the servers send: their dates, nulls, nested objects, lists and maps.
@Suite @MainActor struct ShapesOfServersTests {
  /// Reads from a recording, and again into the same store, which writes no row.
  private func read<E: RemoteEntity>(
    _ name: String, _ baseURL: String, _ entities: any ManagedEntity.Type..., nothing: NothingValues = [],
    count: Int = 2, by get: @MainActor () async throws -> EntityResponse<E>, then check: ([E]) throws -> Void
  ) async throws {
    let store = try EntityStore(.inMemory, entities: entities)
    for isFirst in [true, false] {
      let recording = try RecordingAdapter(name, order: .any)
      let client = try Client(adapter: recording, store: store, baseURL: baseURL, nothing: nothing)
      try await Client.withClient(client) {
        let response = try await get()
        try #require(response.ids.count == count)
        if isFirst { try check(response.objects) } else { #expect(response.counts.rowsWritten == 0) }
      }
    }
  }

  private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

  private func milliseconds(_ date: Date?) -> Int? { date.map { Int(($0.timeIntervalSince1970 * 1000).rounded()) } }

  @Test func `GitHub: users and labels in issues, null and absent dates, and keys with signs`() async throws {
    try await read(
      "github", "https://api.github.example/", GitHubTicket.self, GitHubLogin.self, GitHubTag.self, GitHubGoal.self,
      by: { try await GitHubTicket.get(query: ["state": "all", "per_page": 2]) },
      then: { tickets throws in
        let (issue, pull) = (tickets[0], tickets[1])
        #expect(issue.user?.login == "ines-brook")
        #expect(issue.assignee === issue.milestone?.creator)
        #expect(issue.assignees.map(\.uid).sorted() == [4_100_101, 4_100_102])
        #expect(
          issue.labels.map { "\($0.name) \($0.about ?? "-") \($0.isDefault)" }.sorted() == [
            "rig-2 - false", "wear Parts that age true",
          ])
        #expect(issue.likes == 2)
        #expect(issue.dislikes == 0)
        #expect(issue.body == "Steps:\r\n\r\n1. turn the crank ⚙️\r\n2. listen\r\n")
        #expect(issue.kind == "Fault")
        #expect(issue.closedAt == nil)
        #expect(issue.mergedAt == nil)
        #expect(pull.assignee == nil)
        #expect(pull.milestone == nil)
        #expect(pull.kind == nil)
        #expect(try pull.closedAt == date("2026-02-27T14:00:09Z"))
        #expect(try pull.mergedAt == date("2026-02-27T14:00:08Z"))
      })
  }

  @Test func `Shopify: variants with a link back, prices as texts, dates with an offset`() async throws {
    try await read(
      "shopify", "https://shop.example.com/admin/api/2026-10/", ShopifyWare.self, ShopifyVariant.self,
      ShopifyPhoto.self,
      by: { try await ShopifyWare.get(query: ["limit": 2]) },
      then: { wares throws in
        let (bowl, cup) = (wares[0], wares[1])
        #expect(bowl.html == "<p>Turned by hand &amp; fired <strong>twice</strong>.</p>")
        #expect(try bowl.publishedAt == date("2026-02-10T14:15:00Z"))
        #expect(bowl.variants.map { "\($0.title) \($0.price ?? 0)" }.sorted() == ["Large 31.5", "Small 24"])
        let large = try #require(bowl.variants.first { $0.title == "Large" })
        #expect(large.comparedPrice == 36)
        #expect(large.photo === bowl.photo)
        #expect(bowl.photos.map(\.width) == [1200])
        #expect(bowl.sizes == ["Small", "Large"])
        #expect(cup.html == nil)
        #expect(cup.publishedAt == nil)
        #expect(cup.photo == nil)
        #expect(cup.variants.map(\.comparedPrice) == [nil])
      })
  }

  @Test func `Stripe: seconds, null objects and maps`() async throws {
    try await read(
      "stripe", "https://api.stripe.example/v1/", StripePayer.self,
      by: { try await StripePayer.get(query: ["limit": 2]) },
      then: { payers throws in
        let (ann, bo) = (payers[0], payers[1])
        #expect(ann.created == Date(timeIntervalSince1970: 1_771_230_000))
        #expect(ann.city == "Ghent")
        #expect(ann.metadata == ["plan": "b-2", "seats": "14"])
        #expect(ann.locales == ["nl-BE", "en"])
        #expect(ann.balance == -1250)
        #expect(ann.coupon == "spring")
        #expect(bo.name == nil)
        #expect(bo.city == nil)
        #expect(bo.metadata == [:])
        #expect(bo.locales == [])
        #expect(bo.coupon == nil)
      })
  }

  @Test func `WordPress: times without a zone, the id 0, and what PHP writes for an empty list`() async throws {
    try await read(
      "wordpress", "https://blog.example/wp-json/wp/v2/", WordPressPage.self, WordPressWriter.self, WordPressTerm.self,
      WordPressMedium.self,
      nothing: [.zeroID, .emptyText, .emptyList],
      by: { try await WordPressPage.get(query: ["context": "edit", "per_page": 2, "page": 1]) },
      then: { pages throws in
        let (brine, draft) = (pages[0], pages[1])
        #expect(try brine.date == date("2026-03-04T09:20:30Z"))
        #expect(brine.html == "\n<p>Salt, then wait.</p>\n")
        #expect(brine.author?.uid == 2)
        #expect(brine.picture?.uid == 77)
        #expect(brine.tags.map(\.uid).sorted() == [5, 8])
        #expect(brine.meta == ["footnotes": ""])
        #expect(brine.revisions == 1)
        #expect(draft.date == nil)
        #expect(draft.author == nil)
        #expect(draft.picture == nil)
        #expect(draft.tags.isEmpty)
        #expect(draft.slug == "")
        #expect(draft.meta == nil)
      })
  }

  @Test func `Mastodon: a status in a status, accounts in both, and keys that only some have`() async throws {
    try await read(
      "mastodon", "https://social.example/api/v1/", MastodonToot.self, MastodonTooter.self,
      by: { try await MastodonToot.get("/api/v1/timelines/home", query: ["limit": 2]) },
      then: { toots throws in
        let (mine, boost) = (toots[0], toots[1])
        #expect(milliseconds(mine.createdAt) == 1_772_647_509_412)
        #expect(try mine.editedAt == date("2026-03-04T18:09:00Z"))
        #expect(mine.account.acct == "mia")
        #expect(mine.account.fields == ["Berth", "Sail"])
        #expect(mine.tags == ["gaff"])
        #expect(mine.mentions == ["109000000000000002"])
        #expect(mine.boosted == nil)
        let inner = try #require(boost.boosted)
        #expect(inner.uid == "113999999999999900")
        #expect(inner.account.acct == "sol@far.example")
        #expect(inner.language == nil)
        #expect(inner.pollID == "31000")
        #expect(inner.isPinned == nil)
        #expect(boost.account === mine.account)
        #expect(boost.content == "")
      })
  }

  @Test func `Redmine: named objects, keys that are absent for nobody, and values of custom fields`() async throws {
    try await read(
      "redmine", "https://redmine.example.com/", RedmineChore.self, RedmineName.self,
      by: { try await RedmineChore.get(query: ["status_id": "*", "sort": "id", "limit": 2, "offset": 0]) },
      then: { chores throws in
        let (door, roof) = (chores[0], chores[1])
        #expect(door.assignee == "Emil Vos")
        #expect(door.parent?.uid == 480)
        #expect(door.estimate == 3.5)
        #expect(try door.dueOn == date("2026-02-20T00:00:00Z"))
        #expect(door.fieldNames == ["Pier", "Tools"])
        #expect(roof.assignee == nil)
        #expect(roof.parent == nil)
        #expect(roof.estimate == nil)
        #expect(roof.dueOn == nil)
        #expect(roof.project === door.project)
        #expect(try roof.updatedOn == date("2026-02-03T14:45:10Z"))
      })
  }

  /// A relation stands in both of its issues, and its `issue_id` is one of them.
  @Test func `Redmine: a relation that belongs to another issue keeps to what its own key says`() async throws {
    try await read(
      "redmine-relations", "https://redmine.example.com/", RedmineIssue.self, RedmineRelation.self,
      count: 1,
      by: {
        try await RedmineIssue.get("501.json", query: ["include": "relations,journals,attachments,watchers,children"])
      },
      then: { issues throws in
        let relations = try Client.current.store.main.fetch(RedmineRelation.all).sorted { $0.uid < $1.uid }
        #expect(
          relations.map { "\($0.uid) \($0.issue?.uid ?? 0) \($0.relationType ?? "-")" } == [
            "71 501 precedes", "72 502 blocks",
          ])
        #expect(issues[0].relations.map(\.uid) == [71])
      })
  }

  @Test func `PostgREST: columns of many types`() async throws {
    try await read(
      "postgrest", "https://db.example.com/", PostgRESTMember.self, PostgRESTGroup.self,
      by: { try await PostgRESTMember.get(query: ["order": "id"]) },
      then: { residents throws in
        let (ada, ben) = (residents[0], residents[1])
        #expect(milliseconds(ada.createdAt) == 1_768_892_889_123)
        #expect(try ada.updatedAt == date("2026-02-01T00:00:00Z"))
        #expect(try ada.born == date("1988-04-30T00:00:00Z"))
        #expect(ada.tags == ["a", "b c"])
        #expect(ada.settings?["columns"]?.array?.compactMap(\.int) == [3, 1])
        #expect(ada.token == UUID(uuidString: "7C2E4A10-0000-4000-8000-000000000001"))
        #expect(ada.wakesAt == "06:30:00")
        #expect(ada.organisation?.uid == 40)
        #expect(ben.balance == nil)
        #expect(ben.tags == [])
        #expect(ben.settings == nil)
        #expect(ben.organisation == nil)
      })
  }

  @Test func `OData: nulls in lists, values in objects in lists, and an integer that no Double has`() async throws {
    try await read(
      "odata", "https://odata.example.com/service/", ODataGuest.self,
      by: { try await ODataGuest.get(query: ["$count": true]) },
      then: { guests throws in
        let (oona, kai) = (guests[0], guests[1])
        #expect(oona.etag == #"W/"08DD1E441A0AC0A1""#)
        #expect(oona.lastName == "O’Neil")
        #expect(oona.emails == ["oona@example.com", "oona@example.org", nil])
        #expect(oona.city == "Turku")
        #expect(oona.cities == ["Turku", nil])
        #expect(oona.concurrency == 638_700_123_456_789_013)
        #expect(kai.emails == ["kai@example.com"])
        #expect(kai.city == nil)
        #expect(kai.cities == [])
        #expect(kai.concurrency == oona.concurrency)
      })
  }

  @Test func `OData: a null in a list is refused where the elements of the property are not optional`() async throws {
    let store = try EntityStore(.inMemory, entities: [ODataSubscriber.self])
    let client = try Client(
      adapter: try RecordingAdapter("odata", order: .any), store: store,
      baseURL: "https://odata.example.com/service/")
    let error = try await Client.withClient(client) {
      try await requestError { try await ODataSubscriber.get(query: ["$count": true]) }
    }
    #expect(error.kind == .upsert && error.description.contains("Emails"), "\(error)")
    #expect(try store.main.count(ODataSubscriber.all) == 0)
  }

  @Test func `OData: all annotations, and null`() async throws {
    try await read(
      "odata-metadata", "https://odata.example.com/service/", ODataGuest.self,
      by: { try await ODataGuest.get(query: ["$count": true]) },
      then: { guests throws in
        let (oona, kai) = (guests[0], guests[1])
        #expect(oona.etag?.hasPrefix("W/\"") == true)
        #expect(oona.age == 41)
        #expect(oona.emails == ["oona@example.com"])
        #expect(oona.cities == ["Turku"])
        #expect(oona.homeCity == "Cork")
        #expect(kai.emails == [])
        #expect(kai.homeCity == nil)
        #expect(kai.age == nil)
      })
  }

  @Test func `FHIR: extensions, elements without a value, and partial dates`() async throws {
    try await read(
      "fhir", "https://fhir.example.com/r4/", FHIRPerson.self,
      by: { try await FHIRPerson.get(query: ["_count": 2]) },
      then: { people throws in
        let (edda, unknown) = (people[0], people[1])
        #expect(edda.family == "Hale")
        #expect(edda.given == ["Edda", "M.", "Edda"])
        #expect(edda.birthDate == "1974-12-25")
        #expect(edda.birthTime == "1974-12-25T14:35:45-05:00")
        #expect(milliseconds(edda.updated) == 1_771_057_815_482)
        #expect(edda.practitioners == ["Practitioner/p-9"])
        #expect(edda.lines == ["5 Elm Way", "Flat 2"])
        #expect(edda.codes == ["MR"])
        #expect(unknown.uid == "b-102")
        #expect(unknown.family == nil)
        #expect(unknown.birthDate == "1990-07")
        #expect(unknown.version == "4")
        #expect(unknown.gender == nil)
      })
  }

  @Test func `Salesforce: an owner, the records of a query in a record, and a date with +0000`() async throws {
    try await read(
      "salesforce", "https://crm.example.com/services/data/v60.0/", SalesforceFirm.self, SalesforceOwner.self,
      SalesforceContact.self, count: 1,
      by: {
        try await SalesforceFirm.get(
          "/services/data/v60.0/query", query: ["q": "SELECT FIELDS(ALL) FROM Account LIMIT 200"])
      },
      then: { firms throws in
        let acme = firms[0]
        #expect(try acme.created == date("2026-01-05T13:14:15Z"))
        #expect(try acme.lastActivity == date("2026-02-01T00:00:00Z"))
        #expect(acme.owner?.name == "Nils Orme")
        #expect(acme.parent?.name == "Acme Group")
        #expect(acme.contacts.map(\.name) == ["Ida Voss"])
        #expect(acme.city == "Lyon")
        #expect(acme.revenue == 23_500_000)
      })
  }
}

// MARK: GitHub

@Entity private final class GitHubTicket: RemoteEntity {
  @UID @Key("id") var uid: Int
  var number: Int
  var user: GitHubLogin?
  var assignee: GitHubLogin?
  var assignees: [GitHubLogin]
  var labels: [GitHubTag]
  var milestone: GitHubGoal?
  @Key("type.name") var kind: String?
  @Key("reactions.+1") var likes: Int
  @Key("reactions.-1") var dislikes: Int
  @Key("pull_request.merged_at") var mergedAt: Date?
  var closedAt: Date?
  var body: String?

  static var basePath: String { "repos/ada/engine/issues" }
}

@Entity private final class GitHubLogin: RemoteEntity {
  @UID @Key("id") var uid: Int
  var login: String

  static var basePath: String { "users" }
}

@Entity private final class GitHubTag: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  @Key("description") var about: String?
  @Key("default") var isDefault: Bool

  static var basePath: String { "labels" }
}

@Entity private final class GitHubGoal: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var creator: GitHubLogin?
  var dueOn: Date?

  static var basePath: String { "milestones" }
}

// MARK: Shopify

@Entity private final class ShopifyWare: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("body_html") var html: String?
  var publishedAt: Date?
  @Relationship(inverse: \ShopifyVariant.ware) var variants: [ShopifyVariant]
  @Key("images") var photos: [ShopifyPhoto]
  @Key("image") var photo: ShopifyPhoto?
  @Key("options[0].values") var sizes: [String]?

  static var basePath: String { "products.json" }
  static var envelope: Envelope? { Envelope(list: "products", item: "product") }
}

@Entity private final class ShopifyVariant: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var price: Decimal?
  @Key("compare_at_price") var comparedPrice: Decimal?
  @Key("product_id") var ware: ShopifyWare?
  @Key("image_id") var photo: ShopifyPhoto?

  static var basePath: String { "variants.json" }
}

@Entity private final class ShopifyPhoto: RemoteEntity {
  @UID @Key("id") var uid: Int
  var width: Int?

  static var basePath: String { "images.json" }
}

// MARK: Stripe

@Entity private final class StripePayer: RemoteEntity {
  @UID @Key("id") var uid: String
  var name: String?
  var created: Date?
  @Key("address.city") var city: String?
  var metadata: [String: String]?
  @Key("preferred_locales") var locales: [String]?
  var balance: Int
  @Key("discount.source.coupon") var coupon: String?

  static var basePath: String { "customers" }
  static var envelope: Envelope? { Envelope(list: "data") }
}

// MARK: WordPress

@Entity private final class WordPressPage: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("date_gmt") var date: Date?
  @Key("content.rendered") var html: String?
  var slug: String?
  var author: WordPressWriter?
  @Key("featured_media") var picture: WordPressMedium?
  var tags: [WordPressTerm]
  var meta: [String: String]?
  @Key("_links.version-history[0].count") var revisions: Int?

  static var basePath: String { "posts" }
}

@Entity private final class WordPressWriter: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "users" }
}

@Entity private final class WordPressTerm: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "tags" }
}

@Entity private final class WordPressMedium: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("source_url") var url: String?

  static var basePath: String { "media" }
}

// MARK: Mastodon

@Entity private final class MastodonToot: RemoteEntity {
  @UID @Key("id") var uid: String
  var content: String
  var createdAt: Date?
  var editedAt: Date?
  var language: String?
  @Key("pinned") var isPinned: Bool?
  var account: MastodonTooter
  @Key("reblog") var boosted: MastodonToot?
  @Key("tags[].name") var tags: [String]?
  @Key("mentions[].id") var mentions: [String]?
  @Key("poll.id") var pollID: String?

  static var basePath: String { "statuses" }
}

@Entity private final class MastodonTooter: RemoteEntity {
  @UID @Key("id") var uid: String
  var acct: String
  @Key("fields[].name") var fields: [String]?

  static var basePath: String { "accounts" }
}

// MARK: Redmine

@Entity private final class RedmineChore: RemoteEntity {
  @UID @Key("id") var uid: Int
  var project: RedmineName?
  @Key("assigned_to.name") var assignee: String?
  @Key("parent.id") var parent: RedmineChore?
  @Key("estimated_hours") var estimate: Double?
  @Key("due_date") var dueOn: Date?
  var updatedOn: Date?
  @Key("custom_fields[].name") var fieldNames: [String]?

  static var basePath: String { "issues.json" }
  static var envelope: Envelope? { Envelope(list: "issues", item: "issue") }
}

@Entity private final class RedmineName: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "projects.json" }
}

// MARK: PostgREST

@Entity private final class PostgRESTMember: RemoteEntity {
  @UID @Key("id") var uid: Int
  var createdAt: Date?
  var updatedAt: Date?
  var born: Date?
  var balance: Decimal?
  var tags: [String]?
  var settings: JSONValue?
  @Key("token_id") var token: UUID?
  var wakesAt: String?
  @Key("org_id") var organisation: PostgRESTGroup?

  static var basePath: String { "users" }
}

@Entity private final class PostgRESTGroup: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "organisations" }
}

// MARK: OData

@Entity private final class ODataGuest: RemoteEntity {
  @UID @Key("UserName") var uid: String
  @Key(#"@odata\.etag"#) var etag: String?
  @Key("LastName") var lastName: String?
  @Key("Age") var age: Int?
  @Key("Emails") var emails: [String?]?
  @Key("AddressInfo[0].City.Name") var city: String?
  @Key("AddressInfo[].City.Name") var cities: [String?]?
  @Key("HomeAddress.City.Name") var homeCity: String?
  @Key("Concurrency") var concurrency: Int?

  static var basePath: String { "People" }
  static var envelope: Envelope? { Envelope(list: "value") }
}

@Entity private final class ODataSubscriber: RemoteEntity {
  @UID @Key("UserName") var uid: String
  @Key("Emails") var emails: [String]?

  static var basePath: String { "People" }
  static var envelope: Envelope? { Envelope(list: "value") }
}

// MARK: FHIR

@Entity private final class FHIRPerson: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("meta.versionId") var version: String?
  @Key("meta.lastUpdated") var updated: Date?
  @Key("name[0].family") var family: String?
  @Key("name[].given[]") var given: [String]?
  @Key("identifier[].type.coding[].code") var codes: [String]?
  @Key("address[].line[]") var lines: [String]?
  var gender: String?
  @Key("birthDate") var birthDate: String?
  @Key("_birthDate.extension[0].valueDateTime") var birthTime: String?
  @Key("generalPractitioner[].reference") var practitioners: [String]?

  static var basePath: String { "Patient" }
  static var envelope: Envelope? { Envelope(list: "entry[].resource") }
  static var discriminator: Discriminator? { Discriminator("resourceType", "Patient") }
}

// MARK: Salesforce

@Entity private final class SalesforceFirm: RemoteEntity {
  @UID @Key("Id") var uid: String
  @Key("Name") var name: String?
  @Key("CreatedDate") var created: Date?
  @Key("LastActivityDate") var lastActivity: Date?
  @Key("Owner") var owner: SalesforceOwner?
  @Key("Parent") var parent: SalesforceFirm?
  @Key("Contacts.records") var contacts: [SalesforceContact]
  @Key("BillingAddress.city") var city: String?
  @Key("AnnualRevenue") var revenue: Decimal?

  static var basePath: String { "sobjects/Account" }
  static var envelope: Envelope? { Envelope(list: "records") }
}

@Entity private final class SalesforceOwner: RemoteEntity {
  @UID @Key("Id") var uid: String
  @Key("Name") var name: String?

  static var basePath: String { "sobjects/User" }
}

@Entity private final class SalesforceContact: RemoteEntity {
  @UID @Key("Id") var uid: String
  @Key("Name") var name: String?

  static var basePath: String { "sobjects/Contact" }
}
