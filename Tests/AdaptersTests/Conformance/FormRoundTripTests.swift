import Adapters
import EntityClient
import Testing
import HTTPFoundation

/// Bodies of the helpers, over libcurl, as parsers that nobody here wrote read them.
@Suite(.untilItHangs, .enabled(if: FormServer.isAvailable)) struct FormRoundTripTests {
  /// The fields that the server's parsers found: of each its entries.
  private func sent(
    query: QueryParameters = [:], headers: HTTPHeaders = [:], _ change: (inout URLRequest) throws -> Void
  ) async throws -> (found: [JSONArray], answer: JSONObject) {
    let server = try FormServer()
    let store = try EntityStore(.inMemory, entities: [Parcel.self])
    let client = try Client(adapter: CurlAdapter(), store: store, baseURL: server.url, headers: headers)
    var request = try Client.withClient(client) { try Parcel.request(.post, query: query) }
    try change(&request)
    let response = try await CurlAdapter().send(request, body: RequestBody(of: request))
    #expect(response.status == 200)
    let answer = try JSONObject(parsing: response.body)
    #expect(answer["length"]?.string == request.bodyLength.map { "\($0)" })
    return (["standard", "others"].compactMap { answer[$0]?.array }, answer)
  }

  private static let texts = [
    "plain", "", "a b", "a+b&c=d;e%20f", "é ü 漢字 🎉", "line\r\nbreak\n\r", "\"quoted\" 'x' \\ <>", "--", "\u{0}\u{7F}",
  ]

  @Test func `forms arrive as they were set`() async throws {
    let (found, _) = try await sent { request in
      var fields = QueryParameters()
      for text in Self.texts { fields.append("n" + text, text) }
      fields.append("list", ["1", "2"])
      fields.append("none", nil as String?)
      try request.setForm(fields)
    }
    for entries in found {
      #expect(entries.map { $0["text"]?.string } == Self.texts + ["1", "2", ""])
      #expect(entries.map { $0["name"]?.string } == Self.texts.map { "n" + $0 } + ["list", "list", "none"])
    }
  }

  @Test func `queries arrive as they were made`() async throws {
    struct Filter: Encodable {
      var price = Decimal(string: "0.10")
      var name = "a+b&c=d é"
      var tags = ["x", "y"]
      var range = ["from": 1]
      var nothing: Int?
    }
    let since = Date(timeIntervalSince1970: 0)
    let mixed: [String: Any?] = [
      "tags": ["x", "y"], "range": ["from": 1], "name": "a+b&c=d é", "price": 0.1, "no": nil,
    ]
    for query in [
      try QueryParameters(encoding: Filter()), try QueryParameters(nesting: mixed),
      ["name": "a+b&c=d é", "price": 0.1, "range[from]": 1, "tags": ["x", "y"], "no": nil],
    ] {
      let (_, answer) = try await sent(query: query) { try $0.setForm(["at": since]) }
      for pairs in try #require(answer["queries"]?.array) {
        let found = pairs.array?.map { "\($0.array?[0]?.string ?? "")=\($0.array?[1]?.string ?? "")" }
        #expect(found == ["name=a+b&c=d é", "price=0.1", "range[from]=1", "tags=x", "tags=y"])
      }
    }
    var texts = QueryParameters()
    for text in Self.texts { texts.append("n" + text, text) }
    let (_, answer) = try await sent(query: texts) { try $0.setForm(["at": since]) }
    for pairs in try #require(answer["queries"]?.array) {
      #expect(pairs.array?.map { $0.array?[1]?.string } == Self.texts)
      #expect(pairs.array?.map { $0.array?[0]?.string } == Self.texts.map { "n" + $0 })
    }
  }

  @Test func `headers of client, entity and request arrive`() async throws {
    let (_, answer) = try await sent(headers: ["X-Client": "c", "X-Parcel": "client", "Authorization": "Bearer é=="]) {
      try $0.setJSON([:])
      try $0.addHeaders(["X-List": "a", "x-list": "b"])
    }
    let headers = try #require(answer["headers"]?.object)
    #expect(headers["x-client"]?.string == "c")
    #expect(headers["x-parcel"]?.string == "entity")
    #expect(headers["accept"]?.string == "application/json")
    #expect(headers["content-type"]?.string == "application/json")
    #expect(headers["x-list"]?.string == "a,b")
    // Python reads header fields as ISO 8859-1 (RFC 9110 §5.5).
    #expect(headers["authorization"]?.string == "Bearer Ã©==")
  }

  /// Numbers are compared as texts: no digit may have changed.
  @Test func `Encodable values arrive as JSON`() async throws {
    struct Body: Encodable {
      var decimal = Decimal(string: "123456789012345678901234567890.12345678")
      var small = Decimal(string: "-0.000000000000000000001")
      var prices = ["a": Decimal(string: "0.1")]
      var float: Float = 0.1
      var double = 1e-7
      var integers: [Int64] = [.max, .min]
      var big = UInt64.max
      var at = Date(timeIntervalSince1970: 0.5)
      var data = Data([0, 255])
      var text = "a/b \u{2028} é 🎉 \"\\\n\u{1}"
      var none: Int?
      var url = URL(string: "https://h/x?a=b&c=d")
    }
    let expected: JSONValue = [
      "decimal": "123456789012345678901234567890.12345678", "small": "-0.000000000000000000001", "prices": ["a": "0.1"],
      "float": "0.1", "double": "1e-07", "integers": ["9223372036854775807", "-9223372036854775808"],
      "big": "18446744073709551615", "at": "1970-01-01T00:00:00.5Z", "data": "AP8=",
      "text": "a/b \u{2028} é 🎉 \"\\\n\u{1}", "url": "https://h/x?a=b&c=d",
    ]
    let (_, answer) = try await sent { try $0.setJSON(Body()) }
    #expect(answer["json"] == expected)
    let (_, nested) = try await sent { try $0.setJSON(["list": [Body()], "none": nil] as [String: Any?]) }
    #expect(nested["json"] == ["list": [expected], "none": nil])
  }

  @Test func `Encodable values arrive nested`() async throws {
    struct User: Encodable {
      var email = "a&b@x"
      var address = ["city": "Oslo"]
    }
    let (found, _) = try await sent { try $0.setForm(User()) }
    for entries in found {
      #expect(entries.map { $0["name"]?.string } == ["address[city]", "email"])
      #expect(entries.map { $0["text"]?.string } == ["Oslo", "a&b@x"])
    }
  }

  @Test func `multipart arrives as it was set`() async throws {
    let content = pattern(300_000)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bin")
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (found, answer) = try await sent { request in
      var fields = QueryParameters()
      for text in Self.texts { fields.append("field", text) }
      try request.setMultipart(
        fields,
        [
          .file("Datei ü", file, contentType: "image/jpeg"), .data("note", Data("x".utf8), filename: "漢字 a.txt"),
          .file("again", file, filename: "b.bin"),
        ])
    }
    #expect(answer["type"]?.string?.hasPrefix("multipart/form-data; boundary=") == true)
    for entries in found {
      #expect(entries.count == Self.texts.count + 3)
      #expect(entries.prefix(Self.texts.count).map { $0["text"]?.string } == Self.texts)
      let files = entries.suffix(3)
      #expect(files.map { $0["name"]?.string } == ["Datei ü", "note", "again"])
      #expect(files.map { $0["filename"]?.string } == [file.lastPathComponent, "漢字 a.txt", "b.bin"])
      #expect(
        files.map { $0["type"]?.string } == ["image/jpeg", "application/octet-stream", "application/octet-stream"])
      #expect(files.map { $0["size"]?.int64 } == [300_000, 1, 300_000])
      #expect(Set(files.compactMap { $0["sha256"]?.string }).count == 2)
    }
  }

  @Test func `files and images arrive whole`() async throws {
    let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR".utf8) + pattern(1000)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
    try image.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let whole = try await sent { try $0.setPNG(image) }
    let read = try await sent { try $0.setFile(file, contentType: "image/png") }
    #expect(whole.found.first == read.found.first)
    #expect(whole.found.first?[0]?["size"]?.int64 == Int64(image.count))
    #expect(whole.answer["type"]?.string == "image/png")
  }

  #if canImport(FoundationNetworking)
    /// Another client of Foundation's requests gets the same bytes from the stream.
    @Test func `another client sends the same form`() async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bin")
      try pattern(100_000).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let server = try FormServer()
      var request = request("POST", server.url)
      try request.setMultipart(["a": "b"], [.file("f", file)])
      let (data, _) = try await URLSession.shared.data(for: request)
      let entries = try #require(try JSONObject(parsing: data)["standard"]?.array)
      #expect(entries.map { $0["size"]?.int64 } == [1, 100_000])
    }
  #endif
}

private final class Parcel: ManagedEntity, RemoteEntity {
  static var basePath: String { "parcels" }
  static var headers: HTTPHeaders { ["X-Parcel": "entity"] }
  struct Columns: Sendable {}
  static let columns = Columns()
  static var properties: [PropertyDescriptor] { [] }
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  func _$load(_ row: RowReader) {}
  func _$store(into row: inout RowValues) {}
}
