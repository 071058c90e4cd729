import EntityClient
import EntityTesting
import Foundation
import Testing

// MARK: Salesforce: https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_query.htm

@Entity final class SalesforceAccount: RemoteEntity {
  @UID @Key("Id") var uid: String
  @Key("Name") var name: String?

  static var basePath: String { "sobjects/Account" }
  static var envelope: Envelope? { Envelope(list: "records") }
  static var otherUIDKeys: [String] { ["id"] }

  static func query(_ text: String) -> EntityPages<SalesforceAccount> {
    pages(
      "/services/data/v60.0/query", query: ["q": text], by: .body("nextRecordsUrl", mayBeAbsent: true),
      options: .deleteMissing(in: SalesforceAccount.all))
  }
}

@Suite(.client(entities: [SalesforceAccount.self], baseURL: "https://crm.example.com/services/data/v60.0/"))
@MainActor struct SalesforceServiceTests {
  @Test func `records are walked by a query, read, edited and deleted`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/services/data/v60.0/query",
      answer(
        #"""
        {"totalSize":2,"done":false,"nextRecordsUrl":"/services/data/v60.0/query/01g-2000",
         "records":[{"attributes":{"type":"Account"},"Id":"001A","Name":"Acme"}]}
        """#))
    stub.on(
      .get, "/services/data/v60.0/query/01g-2000",
      answer(
        #"{"totalSize":2,"done":true,"records":[{"attributes":{"type":"Account"},"Id":"001B","Name":"Bolt"}]}"#))
    let pages = SalesforceAccount.query("SELECT Id, Name FROM Account")
    #expect(try await pages.all().ids.count == 2)
    #expect(try await pages.all().counts.rowsWritten == 0)
    let object = "/services/data/v60.0/sobjects/Account/001A"
    stub.on(.get, object, answer(#"{"attributes":{"type":"Account"},"Id":"001A","Name":"Acme Inc."}"#))
    let account = try #require(try await SalesforceAccount.get(uid: "001A").object)
    #expect(account.name == "Acme Inc.")
    stub.on(.patch, object, .status(204))
    account.name = "Acme Ltd."
    try await account.patch(\.name)
    #expect(stub.requests.last?.json == ["Name": "Acme Ltd."])
    #expect(!account.hasChanges)
    stub.on(
      .post, "/services/data/v60.0/sobjects/Account", answer(#"{"id":"001C","success":true,"errors":[]}"#, status: 201))
    let new = try Client.current.store.main.insert(SalesforceAccount.self)
    new.name = "Cog"
    try await new.post(\.name)
    #expect(new.uid == "001C")
    #expect(!new.hasChanges)
    stub.on(.delete, object, .status(204))
    try await account.delete()
    #expect(account.isDeleted)
  }
}

// MARK: GraphQL over POST: https://relay.dev/graphql/connections.htm

@Entity final class GraphQLFilm: RemoteEntity {
  @UID @Key("id") var uid: String
  var title: String?

  static var basePath: String { "graphql" }
  static var verdict: ResponseVerdict? { .errors() }

  static func connection(backward: Bool = false) -> EntityPages<GraphQLFilm> {
    let query = """
      query($first: Int, $last: Int, $after: String, $before: String) {
        films(first: $first, last: $last, after: $after, before: $before) {
          nodes { id title } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
        }
      }
      """
    let info = "data.films.pageInfo"
    return pages(
      posting: ["query": JSONValue(query), "variables": [backward ? "last" : "first": 2]],
      by: backward
        ? CursorPagination.cursor("\(info).startCursor", parameter: "variables.before", more: "\(info).hasPreviousPage")
          .inBody
        : CursorPagination.cursor("\(info).endCursor", parameter: "variables.after", more: "\(info).hasNextPage")
          .inBody,
      options: [.envelope(Envelope(list: "data.films.nodes")), .deleteMissing(in: GraphQLFilm.all)])
  }
}

@Suite(.client(entities: [GraphQLFilm.self], baseURL: "https://films.example.com/")) struct GraphQLServiceTests {
  private func page(_ ids: [String], more: Bool, before: Bool = false) -> StubAnswer {
    let nodes = ids.map { #"{"id":"\#($0)","title":"t\#($0)"}"# }.joined(separator: ",")
    let (first, last) = (ids.first.map { "\"c\($0)\"" } ?? "null", ids.last.map { "\"c\($0)\"" } ?? "null")
    return answer(
      #"{"data":{"films":{"nodes":[\#(nodes)],"pageInfo":{"startCursor":\#(first),"endCursor":\#(last),"#
        + #""hasNextPage":\#(more),"hasPreviousPage":\#(before)}}}}"#)
  }

  @Test func `a connection is walked forward and backward`() async throws {
    let stub = try StubAdapter.current
    stub.on(.post, "/graphql", page(["1", "2"], more: true), page(["3"], more: false))
    #expect(try await GraphQLFilm.connection().all().ids.count == 3)
    #expect(stub.requests.map { $0.json?["variables"] } == [["first": 2], ["first": 2, "after": "c2"]])
    stub.on(.post, "/graphql", page(["1", "2"], more: true), page(["3"], more: false))
    #expect(try await GraphQLFilm.connection().all().counts.rowsWritten == 0)
    stub.on(.post, "/graphql", page(["2", "3"], more: false, before: true), page(["1"], more: true))
    let back = try await GraphQLFilm.connection(backward: true).all()
    #expect(back.ids.count == 3)
    #expect(back.counts.rowsWritten == 0)
    #expect(stub.requests.suffix(2).map { $0.json?["variables"] } == [["last": 2], ["last": 2, "before": "c2"]])
  }

  @Test(arguments: [
    (#"{"data":{"films":null},"errors":[{"message":"no"}]}"#, RequestError.Kind.status),
    (#"{"data":{"films":null}}"#, .envelope),
    (#"{"data":{"films":{"nodes":[{"id":"3"}],"pageInfo":{"hasNextPage":true,"endCursor":null}}}}"#, .pagination),
    (#"{"data":{"films":{"nodes":[{"id":"3"}],"pageInfo":{}}}}"#, .pagination),
    (#"{"data":{"films":{"nodes":[{"id":"3"}]}}}"#, .pagination),
  ])
  func `a walk that ends early deletes nothing`(_ second: String, _ kind: RequestError.Kind) async throws {
    try await GraphQLFilm.upsert(from: Data(#"[{"id":"9"}]"#.utf8))
    try StubAdapter.current.on(.post, "/graphql", page(["1", "2"], more: true), answer(second))
    let error = try await requestError { try await GraphQLFilm.connection().all() }
    #expect(error.kind == kind)
    let uids = try await Client.current.store.read { try $0.fetch(GraphQLFilm.all).map(\.uid) }
    #expect(uids.contains("9"))
  }
}

// MARK: FHIR: https://hl7.org/fhir/R4/http.html#paging

@Entity final class FHIRLink: RemoteEntity {
  @UID @Key("resource.id") var uid: String

  static var basePath: String { "Patient" }
  static var envelope: Envelope? { Envelope(list: "entry") }
}

@Suite(.client(entities: [FHIRLink.self], baseURL: "https://fhir.example.com/r4/")) struct FHIRLinkTests {
  @Test func `a bundle is walked by its links`() async throws {
    let stub = try StubAdapter.current
    func bundle(_ id: String, _ next: String?) -> StubAnswer {
      let more = next.map { #",{"relation":"next","url":"\#($0)"}"# } ?? ""
      return answer(
        #"{"resourceType":"Bundle","link":[{"relation":"self","url":"https://fhir.example.com/r4/Patient"}\#(more)],"#
          + #""entry":[{"resource":{"resourceType":"Patient","id":"\#(id)"}}]}"#)
    }
    // The server does not know that a proxy ends TLS.
    stub.on(.get, "/r4/Patient", bundle("a", "http://fhir.example.com/r4?_getpages=1&_getpagesoffset=1"))
    stub.on(.get, "/r4?_getpages=1", bundle("b", nil))
    let pages = FHIRLink.pages(
      by: .listedLinks("link", relation: "relation", url: "url"), options: .deleteMissing(in: FHIRLink.all))
    #expect(try await pages.all().ids.count == 2)
    #expect(try await pages.all().counts.rowsWritten == 0)
    #expect(stub.requests.last?.url.scheme == "https")
  }
}
