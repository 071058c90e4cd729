import EntityClient
import EntityTesting
import Foundation
import Testing
import HTTPFoundation

// MARK: GitHub: https://docs.github.com/en/rest/issues/issues

@Entity final class GitHubIssue: RemoteEntity {
  @UID @Key("id") var uid: Int
  var number: Int?
  var title: String?

  static var basePath: String { "repos/ada/engine/issues" }
  static var objectPath: String? { "repos/ada/engine/issues/{number}" }

  static func walk() -> EntityPages<GitHubIssue> {
    pages(query: ["state": "all", "per_page": 100], by: .link, options: .deleteMissing(in: GitHubIssue.all))
  }
}

@Entity final class GitHubLabel: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var color: String?

  static var basePath: String { "repos/ada/engine/labels" }
  static var objectPath: String? { "repos/ada/engine/labels/{name}" }
}

@Suite(.client(entities: [GitHubIssue.self, GitHubLabel.self], baseURL: "https://api.github.example/")) @MainActor
struct GitHubServiceTests {
  @Test func `issues are walked by links, read and edited by their numbers`() async throws {
    let stub = try StubAdapter.current
    let path = "/repos/ada/engine/issues"
    stub.on(
      .get, path,
      answer(
        #"[{"id":9001,"number":1,"title":"Cog"}]"#,
        ["Link": "<https://api.github.example/repositories/7/issues?page=2>; rel=\"next\""]))
    stub.on(
      .get, "/repositories/7/issues?page=2",
      answer(
        #"[{"id":9002,"number":2,"title":"Cam"}]"#,
        ["Link": "<https://api.github.example/repositories/7/issues?page=1>; rel=\"prev\""]))
    let pages = GitHubIssue.walk()
    #expect(try await pages.all().ids.count == 2)
    #expect(try await pages.all().counts.rowsWritten == 0)
    stub.on(.get, path + "/2", answer(#"{"id":9002,"number":2,"title":"Cam, worn"}"#))
    let issue = try #require(try await GitHubIssue.get("2").object)
    try await issue.get()
    #expect(issue.title == "Cam, worn")
    stub.on(.patch, path + "/2", answer(#"{"id":9002,"number":2,"title":"Cam, new"}"#))
    issue.title = "Cam, new"
    try await issue.patch(\.title)
    #expect(!issue.hasChanges)
    stub.on(.post, path, answer(#"{"id":9003,"number":3,"title":"Rod"}"#, status: 201, ["Location": path + "/3"]))
    let new = try Client.current.store.main.insert(GitHubIssue.self)
    new.title = "Rod"
    try await new.post(\.title)
    #expect(new.uid == 9003)
    #expect(try new.request(.get).url?.path() == path + "/3")
  }

  @Test func `labels are walked, read, edited and deleted by their names`() async throws {
    let stub = try StubAdapter.current
    let path = "/repos/ada/engine/labels"
    stub.on(
      .get, path,
      answer(#"[{"id":1,"name":"bug","color":"d73a4a"},{"id":2,"name":"help wanted","color":"008672"}]"#))
    let pages = GitHubLabel.pages(by: .link, options: .deleteMissing(in: GitHubLabel.all))
    #expect(try await pages.all().ids.count == 2)
    #expect(try await pages.all().counts.rowsWritten == 0)
    stub.on(.get, path + "/help wanted", answer(#"{"id":2,"name":"help wanted","color":"ffffff"}"#))
    let label = try #require(try await GitHubLabel.get(GitHubLabel.resource(of: ["name": "help wanted"])).object)
    #expect(label.color == "ffffff")
    stub.on(.patch, path + "/help wanted", answer(#"{"id":2,"name":"help wanted","color":"000000"}"#))
    label.color = "000000"
    try await label.patch(\.color)
    #expect(!label.hasChanges)
    stub.on(.delete, path + "/*", .status(204))
    try await label.delete()
    #expect(label.isDeleted)
    #expect(try await GitHubLabel.delete("bug").counts.deleted == 1)
  }
}

// MARK: Stripe: https://docs.stripe.com/api/pagination

@Entity final class StripeCustomer: RemoteEntity {
  @UID @Key("id") var uid: String
  var name: String?

  static var basePath: String { "customers" }
  static var envelope: Envelope? { Envelope(list: "data") }
  static var deletionKey: String? { "deleted" }

  static func walk(size: Int = 100) -> EntityPages<StripeCustomer> {
    pages(
      query: ["limit": size], by: .cursor(ofLast: "id", parameter: "starting_after", more: "has_more"),
      options: .deleteMissing(in: StripeCustomer.all))
  }

  static func newer(than uid: String) -> EntityPages<StripeCustomer> {
    pages(query: ["ending_before": uid], by: .cursor(ofFirst: "id", parameter: "ending_before", more: "has_more"))
  }

  @MainActor func create() async throws {
    try await post { try $0.setForm(self.jsonObject(for: \.name)) }
  }

  @MainActor func update() async throws {
    try await post(to: uid) { try $0.setForm(self.jsonObject(for: \.name)) }
  }
}

@Suite(.client(entities: [StripeCustomer.self], baseURL: "https://api.stripe.example/v1/")) @MainActor
struct StripeServiceTests {
  @Test func `customers are walked forward and backward, read, edited by forms, and deleted`() async throws {
    let stub = try StubAdapter.current
    let first = #"{"object":"list","data":[{"id":"c3","name":"C"},{"id":"c2","name":"B"}],"has_more":true}"#
    let last = #"{"object":"list","data":[{"id":"c1","name":"A"}],"has_more":false}"#
    stub.on(.get, "/v1/customers", answer(first))
    stub.on(.get, "/v1/customers?starting_after=c2", answer(last))
    let pages = StripeCustomer.walk(size: 2)
    #expect(try await pages.all().ids.count == 3)
    #expect(try await pages.all().counts.rowsWritten == 0)
    stub.on(
      .get, "/v1/customers?ending_before=c1", answer(first.replacingOccurrences(of: "true", with: "false")))
    #expect(try await StripeCustomer.newer(than: "c1").all().counts.rowsWritten == 0)
    stub.on(.get, "/v1/customers/c1", answer(#"{"id":"c1","name":"Anna"}"#))
    let customer = try #require(try await StripeCustomer.get(uid: "c1").object)
    #expect(customer.name == "Anna")
    stub.on(.post, "/v1/customers/c1", answer(#"{"id":"c1","name":"Ann"}"#))
    customer.name = "Ann"
    try await customer.update()
    #expect(stub.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == "name=Ann")
    #expect(!customer.hasChanges)
    stub.on(.post, "/v1/customers", answer(#"{"id":"c4","name":"Di"}"#))
    let new = try Client.current.store.main.insert(StripeCustomer.self)
    new.name = "Di"
    try await new.create()
    #expect(new.uid == "c4")
    stub.on(.delete, "/v1/customers/c1", answer(#"{"id":"c1","object":"customer","deleted":true}"#))
    try await customer.delete()
    #expect(customer.isDeleted)
  }
}

// MARK: Mastodon: https://docs.joinmastodon.org/api/guidelines/#pagination

@Entity final class MastodonStatus: RemoteEntity {
  @UID @Key("id") var uid: String
  var content: String?
  var text: String?

  static var basePath: String { "statuses" }
  static var requestKeys: [PartialKeyPath<MastodonStatus>: String] { [\.text: "status"] }

  static func older() -> EntityPages<MastodonStatus> {
    pages(
      "/api/v1/timelines/home", by: .links("next", places: ["max_id", "min_id", "since_id"]),
      options: .deleteMissing(in: MastodonStatus.all))
  }

  static func newer(than uid: String) -> EntityPages<MastodonStatus> {
    pages(
      "/api/v1/timelines/home", query: ["min_id": uid], by: .links("prev", places: ["max_id", "min_id", "since_id"]))
  }

  @MainActor func correct(_ wrong: String, to right: String) async throws {
    try await Self.get("\(uid)/source")  // {"id": "14", "text": "…", "spoiler_text": ""}
    text = text?.replacing(wrong, with: right)
    try await put(\.text)  // {"status": "…"}
  }
}

@Suite(.client(entities: [MastodonStatus.self], baseURL: "https://social.example/api/v1/")) @MainActor
struct MastodonServiceTests {
  @Test func `a timeline is walked to older and to newer statuses`() async throws {
    let stub = try StubAdapter.current
    let root = "https://social.example/api/v1/timelines/home"
    func links(_ older: String, _ newer: String) -> HTTPHeaders {
      ["Link": "<\(root)?max_id=\(older)>; rel=\"next\", <\(root)?min_id=\(newer)>; rel=\"prev\""]
    }
    let path = "/api/v1/timelines/home"
    stub.on(
      .get, path, answer(#"[{"id":"13","content":"c"},{"id":"12","content":"b"}]"#, links("12", "13")))
    stub.on(.get, path + "?max_id=12", answer(#"[{"id":"11","content":"a"}]"#, links("11", "11")))
    stub.on(.get, path + "?max_id=11", answer("[]"))
    stub.on(.get, path + "?min_id=13", answer(#"[{"id":"14","content":"d"}]"#, links("14", "14")))
    stub.on(.get, path + "?min_id=14", answer("[]"))
    // The first page has a link to newer statuses, so the query says where the walk begins.
    let older = MastodonStatus.older()
    #expect(try await older.all().ids.count == 3)
    #expect(try await older.all().counts.rowsWritten == 0)
    #expect(try await MastodonStatus.newer(than: "13").all().counts.inserted == 1)
    let status = try #require(try Client.current.store.main.fetch(MastodonStatus.self, uid: "14"))
    stub.on(.get, "/api/v1/statuses/14/source", answer(#"{"id":"14","text":"d & e","spoiler_text":""}"#))
    stub.on(.put, "/api/v1/statuses/14", answer(#"{"id":"14","content":"<p>D &amp; e</p>"}"#))
    #expect(status.text == nil && status.content == "d")
    try await status.correct("d", to: "D")
    #expect(stub.requests.last?.json == ["status": "D & e"])
    #expect(!status.hasChanges && status.content == "<p>D &amp; e</p>")
    stub.on(.delete, "/api/v1/statuses/14", answer(#"{"id":"14","text":"D"}"#))
    try await status.delete()
    #expect(status.isDeleted)
  }
}

// MARK: WordPress: https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/

@Entity final class WordPressPost: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("title.raw") var title: String?

  static var basePath: String { "posts" }
  static var requestKeys: [PartialKeyPath<WordPressPost>: String] { [\.title: "title"] }

  static func walk(by pagination: NumberPagination = .numbers(size: 100, total: .header("X-WP-Total")))
    -> EntityPages<WordPressPost>
  {
    pages(query: ["context": "edit"], by: pagination, options: .deleteMissing(in: WordPressPost.all))
  }
}

@Suite(.client(entities: [WordPressPost.self], baseURL: "https://blog.example/wp-json/wp/v2/")) @MainActor
struct WordPressServiceTests {
  @Test(arguments: [true, false])
  func `posts are walked by numbers, read, edited and deleted`(_ byTotal: Bool) async throws {
    let stub = try StubAdapter.current
    let path = "/wp-json/wp/v2/posts"
    let totals: HTTPHeaders = ["X-WP-Total": "3", "X-WP-TotalPages": "2"]
    stub.on(
      .get, path + "?context=edit&page=1",
      answer(#"[{"id":3,"title":{"raw":"C"}},{"id":2,"title":{"raw":"B"}}]"#, totals))
    stub.on(
      .get, path + "?context=edit&page=2",
      answer(#"[{"id":1,"title":{"raw":"T & J","rendered":"T &#038; J"}}]"#, totals))
    // The server refuses a page behind the last one with 400.
    let numbers: NumberPagination =
      byTotal
      ? .numbers(size: 2, total: .header("X-WP-Total")) : .numbers(size: 2, pages: .header("X-WP-TotalPages"))
    let pages = WordPressPost.walk(by: numbers)
    #expect(try await pages.all().ids.count == 3)
    #expect(try await pages.all().counts.rowsWritten == 0)
    stub.on(.get, path + "/1?context=edit", answer(#"{"id":1,"title":{"raw":"T & J","rendered":"T &#038; J"}}"#))
    let read = try await WordPressPost.get("1", query: ["context": "edit"])
    #expect(read.counts.rowsWritten == 0)
    let post = try #require(try read.object)
    stub.on(.put, path + "/1", answer(#"{"id":1,"title":{"raw":"Z","rendered":"Z"}}"#))
    #expect(post.title == "T & J")
    post.title = "Z"
    try await post.put(\.title)
    #expect(stub.requests.last?.json == ["title": "Z"])
    #expect(!post.hasChanges)
    stub.on(.delete, path + "/1?force=true", answer(#"{"deleted":true,"previous":{"id":1}}"#))
    try await post.delete(query: ["force": true])
    #expect(post.isDeleted)
  }
}
