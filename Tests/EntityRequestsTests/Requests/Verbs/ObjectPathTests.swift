import EntityClient
import EntityTesting
import Foundation
import TestSupport
import Testing
import HTTPFoundation

@Entity final class MillIssue: RemoteEntity {
  @UID @Key("id") var uid: String
  var title: String?
  @Relationship(inverse: \MillNote.issue) var notes: [MillNote]

  static var basePath: String { "issues.json" }
  static var objectPath: String? { "issues/{uid}.json" }
}

@Entity final class MillNote: RemoteEntity {
  @UID @Key("id") var uid: Int
  var issue: MillIssue?

  static var basePath: String { "notes" }
}

@Entity final class MillUser: RemoteEntity {
  @UID @Key("id") var uid: String
  var name: String?
  @Relationship(inverse: \MillPost.author) var posts: [MillPost]

  static var basePath: String { "Users" }
  static var objectPath: String? { "Users('{uid}')" }
}

@Entity final class MillPost: RemoteEntity {
  @UID @Key("id") var uid: Int
  var author: MillUser?

  static var basePath: String { "Posts" }
}

@Entity final class MillRow: RemoteEntity {
  @UID @Key("id") var uid: String
  var name: String?
  @Relationship(inverse: \MillCell.row) var cells: [MillCell]

  static var basePath: String { "rows" }
  static var objectPath: String? { "rows?id=eq.{uid}" }
}

@Entity final class MillCell: RemoteEntity {
  @UID @Key("id") var uid: Int
  var row: MillRow?

  static var basePath: String { "cells" }
}

@Entity final class MillTicket: RemoteEntity {
  @UID @Key("id") var uid: Int
  var number: Int?
  var title: String?

  static var basePath: String { "repos/ada/mill/issues" }
  static var objectPath: String? { "repos/ada/mill/issues/{number}" }
}

@Entity final class MillLine: RemoteEntity {
  @UID @Key("OrderID") var order: Int
  @UID @Key("Line") var line: String
  var count: Int?

  static var basePath: String { "Lines" }
  static var objectPath: String? { "Lines(OrderID={order},Line='{line}')" }
}

private let millEntities: [any ManagedEntity.Type] = [
  MillIssue.self, MillNote.self, MillUser.self, MillPost.self, MillRow.self, MillCell.self, MillTicket.self,
  MillLine.self,
]

/// URLs of objects that are not the base path and the uid.
@Suite(.client(entities: millEntities, baseURL: "https://api.example.com/v1/")) @MainActor struct ObjectPathTests {
  private let root = "https://api.example.com/v1/"

  private func path(_ text: @autoclosure () throws -> String) rethrows -> String {
    String(try text().dropFirst(root.count))
  }

  private func path(_ request: URLRequest) throws -> String {
    let url = try #require(request.url)
    return path(url.absoluteString)
  }

  private func take<E: RemoteEntity>(_ type: E.Type, _ body: JSONValue) async throws -> E {
    try #require(try await E.upsert(from: body.rawBytes).object)
  }

  private func count<E: RemoteEntity>(_ type: E.Type) async throws -> Int {
    try await Client.current.store.read { try $0.count(E.all) }
  }

  // MARK: Made

  @Test func `a uid stands before an extension, in brackets, in the query`() throws {
    #expect(try path(MillIssue.resource(uid: "7")) == "issues/7.json")
    #expect(try path(MillIssue.resource(uid: "7", "notes", "a/b")) == "issues/7/notes/a%2Fb.json")
    #expect(try path(MillUser.resource(uid: "O'Neil/x")) == "Users('O%27%27Neil%2Fx')")
    #expect(try path(MillUser.resource(uid: "'\u{301})")) == "Users('%27%27%CC%81%29')")
    #expect(try path(MillUser.resource(uid: "7", "Posts")) == "Users('7')/Posts")
    #expect(try path(MillRow.resource(uid: "7")) == "rows?id=eq.7")
    #expect(try path(MillRow.request(.get, uid: "7", query: ["select": "name"])) == "rows?id=eq.7&select=name")
    #expect(try path(MillLine.resource(uid: ["order": 5, "line": "a'b"])) == "Lines(OrderID=5,Line='a%27%27b')")
    #expect(try path(MillTicket.resource(of: ["number": 1347])) == "repos/ada/mill/issues/1347")
    #expect(try path(MillTicket.resource(of: ["number": 1347], "labels")) == "repos/ada/mill/issues/1347/labels")
    #expect(try path(MillNote.resource(of: ["uid": 7])) == "notes/7")
    #expect(try path(MillIssue.request(.get, "?status=open")) == "issues.json?status=open")
    #expect(try path(MillIssue.request(.get, query: ["page": 2])) == "issues.json?page=2")
    #expect(try path(MillIssue.request(.get, "7.json")) == "issues/7.json")
  }

  @Test(arguments: ["../x", "7/..", "..", ".", "a\\.."])
  func `no uid leads out of the path`(_ uid: String) async throws {
    #expect(try await requestError { try MillIssue.resource(uid: uid) }.kind == .invalidRequest)
    #expect(try await requestError { try MillUser.resource(uid: uid) }.kind == .invalidRequest)
    #expect(try await requestError { try MillIssue.resource(of: ["uid": uid]) }.kind == .invalidRequest)
    // No server resolves dots in a query.
    #expect(try MillRow.resource(uid: uid).hasPrefix(root + "rows?id=eq."))
    #expect(try await requestError { try await MillIssue.delete(uid: uid) }.kind == .invalidRequest)
  }

  @Test func `no uid changes the query`() throws {
    #expect(try path(MillRow.resource(uid: "7&id=gt.0#+ ")) == "rows?id=eq.7%26id%3Dgt.0%23%2B%20")
    #expect(try path(MillIssue.resource(uid: "7.json?x=1")) == "issues/7.json%3Fx%3D1.json")
  }

  @Test func `no text of a uid has a meaning in the URL, and the URL reads back as the uid`() throws {
    let letters = Array("ab7'\"/\\.%?#&=+ (),;:{}*é\u{301}🦀\u{0}\n".unicodeScalars)
    var random = SeededRandom(40)
    for _ in 0..<2000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0...random.below(8) { scalars.append(letters[random.below(letters.count)]) }
      let uid = String(scalars)
      let row = try #require(URL(string: MillRow.resource(uid: uid)))
      #expect(row.path(percentEncoded: true) == "/v1/rows")
      #expect(row.query(percentEncoded: false)?.utf8.elementsEqual("id=eq.\(uid)".utf8) == true)
      #expect(row.query(percentEncoded: true)?.contains("&") == false)
      for (type, pattern) in [
        (MillIssue.self as any RemoteEntity.Type, "v1/issues/{uid}.json"), (MillUser.self, "v1/Users('{uid}')"),
      ] {
        guard let text = try? type.resource(uid: uid), let url = URL(string: text) else { continue }
        let path = url.path(percentEncoded: true)
        #expect(url.query() == nil && url.fragment() == nil)
        #expect(try PathPattern(pattern).match(path)?["uid"]?.utf8.elementsEqual(uid.utf8) == true, "\(uid)")
      }
    }
  }

  @Test func `an empty uid is an error`() async throws {
    #expect(try await requestError { try MillIssue.resource(uid: "") }.kind == .missingUID)
    #expect(try await requestError { try MillRow.resource(uid: "") }.kind == .missingUID)
    #expect(try await requestError { try MillTicket.resource(of: [:]) }.kind == .missingUID)
    let main = try Client.current.store.main
    #expect(try await requestError { try main.insert(MillRow.self).request(.patch) }.kind == .missingUID)
  }

  @Test func `nothing stands below an object that the query names`() async throws {
    #expect(try await requestError { try MillRow.resource(uid: "7", "cells") }.message.contains("Declare a route"))
    let row = try await take(MillRow.self, ["id": "7"])
    #expect(try await requestError { try row.resource(\.cells) }.kind == .invalidRequest)
  }

  @Test func `a query names no field of the URL once more`() async throws {
    let row = try await take(MillRow.self, ["id": "7"])
    for query: QueryParameters in [["id": "gt.0"], ["select": "*", "id": "eq.8"]] {
      #expect(try await requestError { try await row.patch(\.name, query: query) }.kind == .invalidRequest)
      #expect(try await requestError { try await row.delete(query: query) }.kind == .invalidRequest)
    }
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test func `relationships stand before the extension`() async throws {
    let issue = try await take(MillIssue.self, ["id": "7"])
    #expect(try path(issue.resource(\.notes)) == "issues/7/notes.json")
    let user = try await take(MillUser.self, ["id": "7"])
    #expect(try path(user.resource(\.posts)) == "Users('7')/posts")
    try StubAdapter.current.on(.get, "/v1/issues/7/notes.json", .json([["id": 1]]))
    #expect(try await issue.get(\.notes).objects.map(\.uid) == [1])
    #expect(issue.notes.count == 1)
  }

  // MARK: Verbs, and what they leave

  @Test func `each verb of an object uses the path`() async throws {
    let stub = try StubAdapter.current
    let issue = try await take(MillIssue.self, ["id": "7"])
    stub.on(.get, "/v1/issues/7.json", .json(["id": "7", "title": "a"]))
    stub.on(.put, "/v1/issues/7.json", .json(["id": "7", "title": "b"]))
    stub.on(.patch, "/v1/issues/7.json", .status(204))
    stub.on(.delete, "/v1/issues/7.json", .status(204))
    try await issue.get()
    #expect(issue.title == "a")
    issue.title = "b"
    try await issue.put(\.title)
    #expect(!issue.hasChanges)
    issue.title = "c"
    for try await _ in issue.sending(.patch, \.title).events {}
    #expect(!issue.hasChanges)
    try await issue.delete()
    #expect(issue.isDeleted)
  }

  @Test(arguments: ["7.json", "/v1/issues/7.json", "./7.json", "7.json?x=1"])
  func `a DELETE of the path deletes the row`(_ resource: String) async throws {
    _ = try await take(MillIssue.self, ["id": "7"])
    try StubAdapter.current.on(.delete, "/v1/issues/7.json", .status(204))
    #expect(try await MillIssue.delete(resource).counts.deleted == 1)
    #expect(try await count(MillIssue.self) == 0)
  }

  @Test func `a DELETE of another form leaves the row`() async throws {
    _ = try await take(MillIssue.self, ["id": "7"])
    try StubAdapter.current.on(.delete, "/v1/issues/7", .status(204))
    #expect(try await MillIssue.delete("7").counts.deleted == 0)
    #expect(try await count(MillIssue.self) == 1)
  }

  @Test func `a DELETE by a filter of one object deletes its row, and of others is refused`() async throws {
    _ = try await take(MillRow.self, ["id": "7"])
    let stub = try StubAdapter.current
    stub.on(.delete, "/v1/rows?id=eq.7", .status(204))
    for resource in ["", "?", "?id=gt.0", "?id=eq.", "?id=eq.7&id=eq.8", "?name=eq.7", "."] {
      #expect(try await requestError { try await MillRow.delete(resource) }.kind == .unsafeResource, "\(resource)")
    }
    #expect(try await requestError { try await MillRow.delete() }.kind == .unsafeResource)
    // The closure takes the filter away.
    let error = try await requestError {
      try await MillRow.sending(.delete, uid: "7").modifying { $0.url = URL(string: self.root + "rows") }.send()
    }
    #expect(error.kind == .unsafeResource)
    let known = try await take(MillRow.self, ["id": "7"])
    let all = try #require(URL(string: root + "rows"))
    #expect(try await requestError { try await known.patch { $0.url = all } }.kind == .unsafeResource)
    #expect(try await requestError { try await known.delete { $0.url = all } }.kind == .unsafeResource)
    #expect(stub.requests.isEmpty)
    #expect(try await MillRow.delete("?id=eq.7").counts.deleted == 1)
    _ = try await take(MillRow.self, ["id": "7"])
    #expect(try await MillRow.delete(uid: "7").counts.deleted == 1)
    let row = try await take(MillRow.self, ["id": "7"])
    try await row.delete()
    #expect(row.isDeleted)
    #expect(Set(stub.requests.map(\.url.absoluteString)) == [root + "rows?id=eq.7"])
  }

  @Test(arguments: ["", ".", "..", "../issues", "../issues.json", "/v1/issues", "/v1/issues.json", "7.json/.."])
  func `a resource beside the objects needs the caller's word`(_ resource: String) async throws {
    #expect(try await requestError { try await MillIssue.delete(resource) }.kind == .unsafeResource)
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test func `a Location gives the uid`() async throws {
    let stub = try StubAdapter.current
    let main = try Client.current.store.main
    stub.on(.post, "/v1/issues.json", .status(201, headers: ["Location": "/v1/issues/a%2Fb.json"]))
    let issue = try main.insert(MillIssue.self)
    issue.title = "x"
    try await issue.post(\.title)
    #expect(issue.uid == "a/b")
    stub.on(.post, "/v1/Users", .status(204, headers: ["Location": root + "Users(%27O%27%27N%27)"]))
    let user = try main.insert(MillUser.self)
    user.name = "x"
    try await user.post(\.name)
    #expect(user.uid == "O'N")
    stub.on(.post, "/v1/rows", .status(201, headers: ["Location": "/v1/rows?id=eq.9"]))
    let row = try main.insert(MillRow.self)
    row.name = "x"
    try await row.post(\.name)
    #expect(row.uid == "9")
    stub.on(.post, "/v1/rows", .status(201, headers: ["Location": "/v1/rows?id=gt.9"]))
    let other = try main.insert(MillRow.self)
    other.name = "y"
    #expect(try await other.post(\.name).lacksUID)
  }

  // MARK: Empty lists

  @Test func `an empty list says that a filtered object is not there`() async throws {
    let stub = try StubAdapter.current
    let row = try await take(MillRow.self, ["id": "7", "name": "a"])
    stub.on(.get, "/v1/rows?id=eq.7", .json([]))
    stub.on(.patch, "/v1/rows?id=eq.7", .json([]))
    for error in [
      try await requestError { try await MillRow.get(uid: "7") }, try await requestError { try await row.get() },
    ] {
      #expect(error.kind == .status)
      #expect(error.status == 404)
      #expect(error.message.contains("with status 200"))
    }
    row.name = "b"
    let error = try await requestError { try await row.patch(\.name) }
    #expect(error.status == 404)
    #expect(!error.wasAccepted)
    #expect(row.hasChanges, "the edit stays")
    #expect(row.name == "b")
    // The collection may be empty.
    stub.on(.get, "/v1/rows", .json([]))
    #expect(try await MillRow.get().ids.isEmpty)
  }

  // MARK: Another attribute

  @Test func `a URL of an attribute has the server's value`() async throws {
    let stub = try StubAdapter.current
    let ticket = try await take(MillTicket.self, ["id": 90001, "number": 5, "title": "a"])
    stub.on(.patch, "/v1/repos/ada/mill/issues/5", .json(["id": 90001, "number": 6, "title": "b"]))
    ticket.number = 6
    ticket.title = "b"
    try await ticket.patch(\.number, \.title)
    #expect(!ticket.hasChanges)
    #expect(try path(ticket.request(.get)) == "repos/ada/mill/issues/6")
    ticket.number = 7
    try await Client.current.store.main.save()
    #expect(try path(ticket.request(.get)) == "repos/ada/mill/issues/6", "a saved edit is not the server's")
    stub.on(.delete, "/v1/repos/ada/mill/issues/6", .status(204))
    try await ticket.delete()
    #expect(ticket.isDeleted)
  }

  @Test func `a uid alone makes no URL of an attribute`() async throws {
    let error = try await requestError { try await MillTicket.get(uid: 5) }
    #expect(error.kind == .invalidRequest)
    #expect(error.message.contains("resource(of:)"))
    let ticket = try await take(MillTicket.self, ["id": 90001])
    #expect(try await requestError { try await ticket.get() }.message.contains("no 'number'"))
  }

  @Test func `a DELETE by an attribute deletes the row that has the value on the server`() async throws {
    let stub = try StubAdapter.current
    _ = try await take(MillTicket.self, ["id": 90002, "number": 6])
    let ticket = try await take(MillTicket.self, ["id": 90001, "number": 5])
    for number in [5, 6, 7] { stub.on(.delete, "/v1/repos/ada/mill/issues/\(number)", .status(204)) }
    // Here the number is another one by now.
    ticket.number = 7
    try await Client.current.store.main.save()
    #expect(try await MillTicket.delete("7").counts.deleted == 0)
    #expect(try await count(MillTicket.self) == 2)
    #expect(try await MillTicket.delete("5").counts.deleted == 1)
    #expect(ticket.isDeleted)
    #expect(try await MillTicket.delete(MillTicket.resource(of: ["number": 6])).counts.deleted == 1)
    #expect(try await count(MillTicket.self) == 0)
  }

  @Test func `a DELETE by an attribute that several rows have deletes none`() async throws {
    for uid in [90001, 90002] { _ = try await take(MillTicket.self, ["id": JSONValue(uid), "number": 5]) }
    try StubAdapter.current.on(.delete, "/v1/repos/ada/mill/issues/5", .status(204))
    #expect(try await MillTicket.delete("5").counts.deleted == 0)
    #expect(try await count(MillTicket.self) == 2)
  }
}

/// An entity whose object path is that of the test.
@Entity private final class MillGate {
  @UID var line: Int
  @UID var code: String
  var name: String?
  var height: Decimal?
  var opened: Date?
  @Transformed(by: Transformers.Lowercased.self) var color: String?
}

extension MillGate: RemoteEntity {
  @TaskLocal static var declared: String?
  static var basePath: String { "gates" }
  static var objectPath: String? { declared }
}

struct ObjectPathCheckTests {
  @Test(arguments: [
    ("gates", "write '{line}', '{code}'"), ("gates/{line}", "'{code}' is missing"),
    ("gates/{uid}", "'{uid}' is neither"),
    ("gates/{line}/{code}/{size}", "'{size}' is neither"), ("gates/{height}", "'{height}' is no integer"),
    ("gates/{opened}", "'{opened}' is no integer"), ("gates/{color}", "'{color}' is no integer"),
    ("gates/{line}/{code}/*", "a wildcard without a name"),
    ("gates?a={line}?b={code}", "two queries"), ("gates?a={line}&a={code}", "two fields"),
    ("gates?{line}={code}", "id=eq.{uid}"), ("gates/{line}?code={line}", "two parameters"),
    ("gates/{line}{code}", "between two parameters"), ("gates({line", "a brace"),
    ("gates/{line}?c={code}#x", "fragment"),
    ("", "write '{line}'"),
  ])
  func `a path that names no object is refused when the client is made`(_ path: String, _ reason: String) throws {
    let error = try #require(throws: RequestError.self) { try client(path) }
    #expect(error.kind == .invalidRoute)
    #expect(error.message.contains(reason), "\(error.message)")
  }

  @Test(arguments: ["gates/{line}/{code}", "g/{name}", "gates?l={line}&c=eq.{code}", "/x(a={line},b='{code}')"])
  func `a path of the uid or of attributes is taken`(_ path: String) throws {
    #expect(throws: Never.self) { try client(path) }
  }

  private func client(_ path: String) throws -> Client {
    try MillGate.$declared.withValue(path) {
      try Client(
        adapter: StubAdapter(), store: EntityStore(.inMemory, entities: [MillGate.self]),
        baseURL: "https://api.example.com/")
    }
  }

  @Test func `a path at another origin is refused`() throws {
    let path = "https://other.example.com/{name}"
    let client = try client(path)
    try MillGate.$declared.withValue(path) {
      try Client.withClient(client) {
        let error = try #require(throws: RequestError.self) { try MillGate.resource(of: ["name": "x"]) }
        #expect(error.kind == .invalidRoute)
        #expect(error.message.contains("another origin"))
      }
    }
  }
}
