import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// Forms and nested queries: the text that is written, and the edits that an answer acknowledges.
@Suite(.sample) struct FormTests {
  private func form(_ change: (inout URLRequest) throws -> Void) throws -> String {
    var request = URLRequest(url: try #require(URL(string: "https://h/x")))
    try change(&request)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    return String(decoding: try #require(request.httpBody), as: UTF8.self)
  }

  @Test func `fields are written as the URL standard says`() throws {
    let note: String? = nil
    let text = try form {
      try $0.setForm([
        "title": "A & B=c+d", "tag": ["new", "old"], "note": note, "none": nil, "é\r\n": "*-._~/%", "tag": 7,
        "empty": [] as [String], "at": Date(timeIntervalSince1970: 0), "ok": true,
      ])
    }
    #expect(
      text
        == "title=A+%26+B%3Dc%2Bd&tag=new&tag=old&note=&none=&%C3%A9%0D%0A=*-._%7E%2F%25&tag=7"
        + "&empty=&at=1970-01-01T00%3A00%3A00Z&ok=true")
  }

  @Test func `Encodable values and dictionaries nest in brackets`() throws {
    struct Filter: Encodable {
      struct Range: Encodable { var from = 1, to = 2.5 }
      var name = "a b"
      var range = Range()
      var tags = ["x", "y"]
      var lines = [["n": 1], ["n": 2]]
      var nothing: Int?
    }
    let expected =
      "lines%5B0%5D%5Bn%5D=1&lines%5B1%5D%5Bn%5D=2&name=a+b&range%5Bfrom%5D=1&range%5Bto%5D=2.5&tags=x&tags=y"
    #expect(try form { try $0.setForm(Filter()) } == expected)
    let mixed: [String: Any?] = [
      "lines": [["n": 1], ["n": 2]], "name": "a b", "range": ["from": 1, "to": 2.5] as [String: Any],
      "tags": ["x", "y"],
    ]
    #expect(try form { try $0.setForm(mixed) } == expected)
    #expect(
      try form { try $0.setForm(["b": ["c": nil, "a": 18_446_744_073_709_551_615]] as [String: [String: UInt64?]]) }
        == "b%5Ba%5D=18446744073709551615&b%5Bc%5D=")
    let object: JSONObject = ["z": 1.10, "a": ["b": nil]]
    #expect(try form { try $0.setForm(object) } == "z=1.1&a%5Bb%5D=")
  }

  @Test func `a value without names is no form`() async throws {
    var request = URLRequest(url: try #require(URL(string: "https://h/x")))
    #expect(try await requestError { try request.setForm([1, 2]) }.kind == .invalidRequest)
    struct Secret {}
    let error = try await requestError { try request.setForm(["a": ["b": Secret()]] as [String: Any?]) }
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("a.b"))
    #expect(request.httpBody == nil)
  }

  @Test func `queries nest the same and leave nil out`() async throws {
    struct Filter: Encodable { var age = ["min": 5], name: String? = "a+b" }
    try StubAdapter.current.on(.get, "/users", .json([]))
    try await User.get(query: QueryParameters(encoding: Filter()))
    try await User.get(query: QueryParameters(nesting: ["sort": ["a", nil] as [Any?], "x": nil, "f": ["y": true]]))
    #expect(
      try StubAdapter.current.requests.map { $0.url.query(percentEncoded: true) }
        == ["age%5Bmin%5D=5&name=a%2Bb", "f%5By%5D=true&sort=a"])
  }

  // MARK: Acknowledgement

  @MainActor private func edited() async throws -> User {
    let response = try await User.upsert(from: [["id": 42, "email": "a@x", "age": 7, "active": false, "bio": "b"]])
    let user = try #require(try response.object)
    user.email = "new@x"
    user.age = 8
    user.bio = nil
    user.active = true
    return user
  }

  /// The answer has the server's value of each field: it is taken only where the edit is acknowledged.
  private static let answer: StubAnswer = .json(
    ["id": 42, "email": "server", "age": 99, "bio": "server", "active": false])

  private static let bodies: [(String, @Sendable (inout URLRequest) throws -> Void)] = [
    ("form", { try $0.setForm(["email": "new@x", "age": 8, "bio": nil, "active": true]) }),
    ("wrapped", { try $0.setForm(["user[email]": "new@x", "user[age]": 8, "user[bio]": "", "user[active]": "1"]) }),
    ("multipart", { try $0.setMultipart(["email": "new@x", "age": 8, "bio": nil, "active": true]) }),
    (
      "multipart with a file",
      {
        try $0.setMultipart(
          ["email": "new@x", "age": 8, "bio": nil, "active": true],
          [.data("raw", Data("\r\n--\r\n\r\n".utf8), filename: "a"), .file("photo", URL(filePath: #filePath))])
      }
    ),
  ]

  @Test(arguments: bodies.indices) @MainActor func `the answer acknowledges the fields that were sent`(_ index: Int)
    async throws
  {
    let user = try await edited()
    try StubAdapter.current.on(.put, "/users/42", Self.answer)
    try await user.put { try Self.bodies[index].1(&$0) }
    #expect(!user.hasChanges)
    try await user.entityContext?.save()
    try StubAdapter.current.on(.get, "/users/42", Self.answer)
    try await user.get()
    #expect(user.email == "server")
    #expect(user.age == 99)
    #expect(user.bio == "server")
    #expect(!user.active)
  }

  @Test @MainActor func `an edit that was not sent or differs stays`() async throws {
    let user = try await edited()
    try StubAdapter.current.on(.put, "/users/42", Self.answer)
    try await user.put { try $0.setForm(["email": "other@x", "age": 8, "active": "perhaps"]) }
    #expect(user.email == "new@x")
    #expect(user.bio == nil)
    #expect(user.active)
    #expect(user.hasChanges)
    #expect(user.age == 99)
  }

  /// A server may take either value of the field.
  @Test(arguments: ["", "user"]) @MainActor func `a form field that stands twice stays an edit`(_ wrapper: String)
    async throws
  {
    let user = try await edited()
    try StubAdapter.current.on(.put, "/users/42", Self.answer)
    func name(_ field: String) -> String { wrapper.isEmpty ? field : "\(wrapper)[\(field)]" }
    for isMultipart in [false, true] {
      try await user.put {
        var fields = QueryParameters()
        for email in ["other@x", "new@x", "new@x"] { fields.append(name("email"), email) }
        fields.append(name("bio"), nil)
        if isMultipart { try $0.setMultipart(fields) } else { try $0.setForm(fields) }
      }
      #expect(user.email == "new@x")
      #expect(user.hasChanges)
    }
    #expect(user.bio == "server")
  }

  @Test func `nesting has a limit`() async throws {
    func nested(_ depth: Int) -> JSONObject {
      (0..<depth).reduce(["a": 1] as JSONObject) { object, step in
        ["a": step % 2 == 0 ? object.value : [object.value]]
      }
    }
    #expect(try QueryParameters(nested(40)).pairs.count == 1)
    let text = String(repeating: "[", count: 64) + "1" + String(repeating: "]", count: 64)
    #expect(try QueryParameters(JSONObject(parsing: Data(#"{"a":\#(text)}"#.utf8))).pairs.first?.value == "1")
    let error = try await requestError { try QueryParameters(nested(500)) }
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("a[0][a]"))
    #expect(error.description.contains("64"))
    #expect(
      try await requestError { try QueryParameters(nesting: ["a": nested(66)]) }.kind == .invalidRequest)
  }
}
