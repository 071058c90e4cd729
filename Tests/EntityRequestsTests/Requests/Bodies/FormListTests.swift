import EntityClient
import EntityTesting
import TestSchema
import Testing
import HTTPFoundation

@Entity private final class FormCase: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var words: [String]
  var sizes: [String: Int]
  var extra: JSONValue?
  var tags: [OrchardTag]
  @Relationship(inverse: \FormLine.owner) var lines: [FormLine]
  var home: Cover?

  static var basePath: String { "cases" }
}

@Entity private final class FormLine {
  var n: Int?
  var owner: FormCase?
}

/// Lists, maps and free JSON in forms.
@Suite(.client(entities: Orchard.world + [FormCase.self, FormLine.self, Cover.self])) @MainActor
struct FormListTests {
  private let stub: StubAdapter
  private let object: FormCase

  init() async throws {
    stub = try StubAdapter.current
    let body: JSONValue = [
      "id": 1, "words": ["a"], "sizes": ["s": 1], "extra": ["k": ["x": [1, 2]]], "tags": [1, 2, 3],
      "lines": [["n": 1], ["n": 2]], "home": ["color": "Oslo"],
    ]
    object = try #require(try await FormCase.upsert(from: body).object)
    stub.on(.put, "/cases/1", .status(204))
  }

  private func edit() throws {
    object.words = ["b", "c & d"]
    object.sizes = ["m": 2, "l": 3]
    object.extra = ["k": ["y": [true, nil, "t"]], "list": [["q": 1], ["q": 2]], "none": [:]]
    object.tags = [object.tags[2], object.tags[0]]
    object.lines.first { $0.n == 2 }?.n = 5
    object.home?.color = "Bergen"
  }

  private var own: JSONObject {
    get throws { try object.jsonObject(for: \.words, \.sizes, \.extra, \.tags, \.lines, \.home) }
  }

  private func isAllSent() async throws -> Bool {
    try await Client.current.store.main.save()
    return try await Client.current.store.pending.count() == 0
  }

  @Test(arguments: [false, true], [false, true])
  func `the answer acknowledges lists, maps and free JSON of a form`(_ isMultipart: Bool, _ isSaved: Bool) async throws
  {
    try edit()
    if isSaved { try await Client.current.store.main.save() }
    try await object.put {
      if isMultipart { try $0.setMultipart(try own) } else { try $0.setForm(try own) }
    }
    #expect(try await isAllSent())
  }

  @Test func `an emptied list is sent as an empty field`() async throws {
    object.words = []
    object.sizes = [:]
    object.tags = []
    try await object.put { try $0.setForm(object.jsonObject(for: \.words, \.sizes, \.tags)) }
    #expect(stub.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == "sizes=&tags=&words=")
    #expect(try await isAllSent())
    try await object.put { try $0.setForm(["words": object.words, "title": object.title]) }
    #expect(stub.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == "words=&title=")
  }

  @Test func `a query leaves an empty list out`() throws {
    let query = try QueryParameters(["a": [], "b": [:], "c": nil, "d": [1]])
    #expect(try FormCase.request(.get, query: query).url?.query() == "d=1")
    #expect(try FormCase.request(.get, query: ["a": [Int](), "d": 1]).url?.query() == "d=1")
  }

  @Test(
    arguments: [
      (["words[]": ["b", "c"]], true), (["case[words]": ["b", "c"]], true),
      (["words[0]": ["b"], "words[1]": ["c"]], true),
      (["words": ["b"]], false), (["words": ["c", "b"]], false), (["words[0]": ["c"], "words[1]": ["b"]], false),
      (["words": ["b", "c"], "words[]": ["b", "c"]], false), (["words[0]": ["b"], "words[2]": ["c"]], false),
      (["words": ["b", "c", ""]], false), (["words": []], false),
    ] as [(KeyValuePairs<String, [String]>, Bool)])
  func `a list may be written in its usual forms`(_ fields: KeyValuePairs<String, [String]>, _ isSent: Bool)
    async throws
  {
    object.words = ["b", "c"]
    try await object.put { request in
      var form = QueryParameters()
      for (name, values) in fields { form.append(name, values) }
      try request.setForm(form)
    }
    #expect(object.pendingColumns.contains(\.words) != isSent)
  }

  @Test func `an edit that differs from the form stays`() async throws {
    try edit()
    try await object.put {
      let body: JSONObject = [
        "sizes": ["m": 2], "extra": ["k": ["y": [true]]], "tags": [1], "home": ["color": "Rome"],
      ]
      try $0.setForm(body)
    }
    try await Client.current.store.main.save()
    let changes = try await Client.current.store.pending.changes()
    #expect(Set(changes.map(\.entity)) == ["Cover", "FormCase", "FormLine"])
    #expect(object.pendingColumns.names == ["words", "sizes", "extra", "tags"])
  }
}
