import EntityClient
import EntityTesting
import Foundation
import Testing

// MARK: Redmine: https://www.redmine.org/projects/redmine/wiki/Rest_Issues

@Entity final class RedmineIssue: RemoteEntity {
  @UID @Key("id") var uid: Int
  var subject: String?
  @Relationship(inverse: \RedmineRelation.issue) var relations: [RedmineRelation]

  static var basePath: String { "issues.json" }
  static var objectPath: String? { "issues/{uid}.json" }
  static var envelope: Envelope? { Envelope(list: "issues", item: "issue") }
  static var requestRootKey: String? { "issue" }

  // Without the status the list has open issues alone.
  static func walk(size: Int = 100) -> EntityPages<RedmineIssue> {
    pages(
      query: ["status_id": "*", "sort": "id"], by: .offsets(size: size, total: .body("total_count")),
      options: .deleteMissing(in: RedmineIssue.all))
  }
}

@Entity final class RedmineRelation: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("issue_id") var issue: RedmineIssue?
  var relationType: String?

  static var basePath: String { "relations.json" }
  static var objectPath: String? { "relations/{uid}.json" }
  static var envelope: Envelope? { Envelope(list: "relations", item: "relation") }
}

@Suite(.client(entities: [RedmineIssue.self, RedmineRelation.self], baseURL: "https://redmine.example.com/"))
@MainActor struct RedmineServiceTests {
  @Test func `issues are walked, read, edited and deleted`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/issues.json?offset=0",
      answer(#"{"issues":[{"id":1,"subject":"Door"},{"id":2,"subject":"Roof"}],"total_count":3,"offset":0,"limit":2}"#))
    stub.on(
      .get, "/issues.json?offset=2",
      answer(#"{"issues":[{"id":3,"subject":"Gate"}],"total_count":3,"offset":2,"limit":2}"#))
    let pages = RedmineIssue.walk(size: 2)
    #expect(try await pages.all().ids.count == 3)
    #expect(try await pages.all().counts.rowsWritten == 0)
    stub.on(.get, "/issues/1.json", answer(#"{"issue":{"id":1,"subject":"Door, east"}}"#))
    let issue = try #require(try await RedmineIssue.get(uid: 1).object)
    #expect(issue.subject == "Door, east")
    // Redmine answers an update with 204.
    stub.on(.put, "/issues/1.json", .status(204))
    issue.subject = "Door, west"
    try await issue.put(\.subject)
    #expect(stub.requests.last?.json == ["issue": ["subject": "Door, west"]])
    #expect(!issue.hasChanges)
    stub.on(
      .get, "/issues/1/relations.json", answer(#"{"relations":[{"id":7,"issue_id":1,"relation_type":"blocks"}]}"#))
    try await issue.get(\.relations)
    #expect(issue.relations.map(\.uid) == [7])
    stub.on(.post, "/issues.json", answer(#"{"issue":{"id":4,"subject":"Wall"}}"#, status: 201))
    let new = try Client.current.store.main.insert(RedmineIssue.self)
    new.subject = "Wall"
    try await new.post(\.subject)
    #expect(new.uid == 4)
    stub.on(.delete, "/issues/*", .status(204))
    try await new.delete()
    try await RedmineIssue.delete("2.json")
    #expect(try Client.current.store.main.fetch(RedmineIssue.all).map(\.uid).sorted() == [1, 3])
  }
}

// MARK: Shopify: https://shopify.dev/docs/api/admin-rest/usage/pagination

@Entity final class ShopifyProduct: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?

  static var basePath: String { "products.json" }
  static var objectPath: String? { "products/{uid}.json" }
  static var envelope: Envelope? { Envelope(list: "products", item: "product") }
  static var requestRootKey: String? { "product" }

  static func walk(size: Int = 250) -> EntityPages<ShopifyProduct> {
    pages(query: ["limit": size], by: .link, options: .deleteMissing(in: ShopifyProduct.all))
  }
}

@Suite(.client(entities: [ShopifyProduct.self], baseURL: "https://shop.example.com/admin/api/2026-10/"))
@MainActor struct ShopifyServiceTests {
  @Test func `products are walked by page_info, read, edited and deleted`() async throws {
    let stub = try StubAdapter.current
    let root = "https://shop.example.com/admin/api/2026-10/products.json?limit=2&page_info="
    let path = "/admin/api/2026-10/products.json"
    stub.on(
      .get, path,
      answer(
        #"{"products":[{"id":1,"title":"Bowl"},{"id":2,"title":"Cup"}]}"#, ["Link": "<\(root)bbb>; rel=\"next\""]))
    stub.on(
      .get, path + "?page_info=bbb",
      answer(#"{"products":[{"id":3,"title":"Jug"}]}"#, ["Link": "<\(root)aaa>; rel=\"previous\""]))
    let pages = ShopifyProduct.walk(size: 2)
    #expect(try await pages.all().ids.count == 3)
    #expect(try await pages.all().counts.rowsWritten == 0)
    let object = "/admin/api/2026-10/products/1.json"
    stub.on(.get, object, answer(#"{"product":{"id":1,"title":"Bowl, large"}}"#))
    let product = try #require(try await ShopifyProduct.get(uid: 1).object)
    #expect(product.title == "Bowl, large")
    stub.on(.put, object, answer(#"{"product":{"id":1,"title":"Bowl, blue"}}"#))
    product.title = "Bowl, blue"
    try await product.put(\.title)
    #expect(stub.requests.last?.json == ["product": ["title": "Bowl, blue"]])
    stub.on(.post, path, answer(#"{"product":{"id":4,"title":"Plate"}}"#, status: 201))
    let new = try Client.current.store.main.insert(ShopifyProduct.self)
    new.title = "Plate"
    try await new.post(\.title)
    #expect(new.uid == 4)
    stub.on(.delete, object, answer("{}"))
    try await product.delete()
    #expect(product.isDeleted)
  }
}
