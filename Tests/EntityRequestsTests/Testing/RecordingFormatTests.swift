import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Secrets are found in each format, and taken out in each encoding.
@Suite struct RecordingFormatTests {
  /// The texts of a recording: the file, and each text in it with the escapes of the file undone.
  private func recorded(
    _ stub: StubAdapter, _ run: (Client) async throws -> Void
  ) async throws -> (file: String, texts: [String]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "formats-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Tests.swift").path
    try await RecordingAdapter.use("formats", around: stub, mode: .record, file: file) { adapter in
      try await run(try Client(adapter: adapter, baseURL: "https://api.example.com/"))
    }
    let data = try Data(contentsOf: folder.appending(path: "Recordings/formats.har"))
    var texts: [String] = []
    func collect(_ value: JSONValue) {
      if let text = value.string { texts.append(text) }
      for element in value.array ?? [] { collect(element) }
      for (_, element) in value.object ?? [:] { collect(element) }
    }
    collect(try JSONValue(parsing: data))
    return (String(decoding: data, as: UTF8.self), texts)
  }

  private func response(_ body: String, _ type: String) async throws -> String {
    let stub = StubAdapter()
    let answer = HTTPResponse(status: 200, headers: ["Content-Type": type], body: Data(body.utf8))
    stub.on(.get, "/a", .respond { _ in answer })
    let (_, texts) = try await recorded(stub) { client in _ = try? await client.get("a") }
    return try #require(texts.first { $0.contains("REDACTED") || $0 == body }, "\(texts)")
  }

  @Test(arguments: [
    #"form-data; filename="a"; name="password""#, "form-data; name=password", "form-data; name = \"password\"",
    "form-data; name*=UTF-8''pass%77ord", "form-data; filename=\"x; name=b\"; name=\"user[password]\"",
    "form-data;\r\n name=\"password\"",
  ])
  func `the part of a form is a secret by its name`(_ disposition: String) async throws {
    let stub = StubAdapter().on(.post, "/**", .json(["echo": "hidden-12345"]))
    let body = "--xyz\r\nContent-Disposition: \(disposition)\r\n\r\nhidden-12345\r\n--xyz--\r\n"
    let (file, _) = try await recorded(stub) { client in
      try await client.post("a") { request in
        request.httpBody = Data(body.utf8)
        request.setValue("multipart/form-data; boundary=\"xyz\"", forHTTPHeaderField: "Content-Type")
      }
    }
    #expect(!file.contains("hidden"), "\(file)")
    #expect(file.contains("REDACTED"))
  }

  @Test(arguments: [
    (
      "<user><name>Ada</name><password>a&amp;b</password></user>",
      "<user><name>Ada</name><password>REDACTED</password></user>"
    ),
    (#"<wsse:Password Type="x">abc</wsse:Password>"#, #"<wsse:Password Type="x">REDACTED</wsse:Password>"#),
    (#"<login token='abc' user="ada"/>"#, #"<login token='REDACTED' user="ada"/>"#),
    ("<secret><![CDATA[a<b]]></secret>", "<secret><![CDATA[REDACTED]]></secret>"),
    ("<credentials><a>x</a><n>12</n></credentials>", "<credentials><a>REDACTED</a><n>0</n></credentials>"),
    (
      "<dict><key>password</key><string>abc</string><key>city</key><string>Oslo</string></dict>",
      "<dict><key>password</key><string>REDACTED</string><key>city</key><string>Oslo</string></dict>"
    ),
    (
      #"<form><input type="hidden" name="csrf_token" value="abc"><p>Oslo</p></form>"#,
      #"<form><input type="hidden" name="csrf_token" value="REDACTED"><p>Oslo</p></form>"#
    ),
    (
      #"<a href="https://x/?access_token=abc&amp;x=1">b</a>"#,
      #"<a href="https://x/?access_token=REDACTED&amp;x=1">b</a>"#
    ),
  ])
  func `the secrets of XML are not kept`(_ body: String, _ kept: String) async throws {
    #expect(try await response(body, "application/xml") == kept)
    #expect(try await response(body, "") == kept)
  }

  @Test(arguments: [
    // JSON in a text of JSON, and that once more.
    (#"{"a":"{\"password\":\"hidden\",\"b\":1}"}"#, #"{"a":"{\"password\":\"REDACTED\",\"b\":1}"}"#),
    (#"{"a":"[\"{\\\"token\\\":\\\"hidden\\\"}\"]"}"#, #"{"a":"[\"{\\\"token\\\":\\\"REDACTED\\\"}\"]"}"#),
    (#"{"a":"<t><token>hidden</token></t>"}"#, #"{"a":"<t><token>REDACTED</token></t>"}"#),
    (#"{"a":"grant_type=x&refresh_token=hidden"}"#, #"{"a":"grant_type=x&refresh_token=REDACTED"}"#),
    (
      #"{"u":"https://x/?next=https%3A%2F%2Fy%2F%3Ftoken%3Dhidden"}"#,
      #"{"u":"https://x/?next=https%3A%2F%2Fy%2F%3Ftoken%3DREDACTED"}"#
    ),
    (
      #"{"access":"eyJhbGciOi1.abcdef","refresh":"0123456789abcdef","b":1}"#,
      #"{"access":"REDACTED","refresh":"REDACTED","b":1}"#
    ),
    (#"{"u":"https://x/cb?code=ab1&state=7"}"#, #"{"u":"https://x/cb?code=REDACTED&state=7"}"#),
    (#"[{"name":"password","value":"hidden"}]"#, #"[{"name":"password","value":"REDACTED"}]"#),
  ])
  func `a value is read by its own format`(_ body: String, _ kept: String) async throws {
    #expect(try await response(body, "application/json") == kept)
  }

  @Test(arguments: [
    #"{"access":"public","code":"not_found","refresh":"daily","key":"OSLO-17"}"#,
    #"{"u":"https://x/?code=NO&key=title"}"#,
    #"{"a":"{name} is here","b":"[1, 2","c":"a < b > c","d":"x=1","e":"1+1=2"}"#,
    "<a href='x'>1 &lt; 2</a><br><access>public</access><!-- note -->",
  ])
  func `all other parts stay as they were`(_ body: String) async throws {
    #expect(try await response(body, body.hasPrefix("<") ? "text/html" : "application/json") == body)
  }

  @Test func `a number that is a secret elsewhere becomes a number`() async throws {
    #expect(
      try await response(#"{"password":"12345678","a":12345678,"b":"x12345678"}"#, "application/json")
        == #"{"password":"REDACTED","a":0,"b":"xREDACTED"}"#)
  }

  @Test(arguments: [
    // Names of another kind of URL, a query of GraphQL, prose, and a program.
    (
      "application/json",
      #"{"uri":"at://did:plc:z72i7hdynmk6r22z27h6tvur/app/self","did":"did:plc:z72i7hdynmk6r22z27h6tvur"}"#
    ),
    ("application/json", #"{"query":"{ viewer { token: accessToken createdAt } }","createdAt":1,"accessTokens":2}"#),
    (
      "application/json",
      #"{"title":"[iOS] Login session: background refresh","background":true,"detail":"[login] Password: required"}"#
    ),
    ("text/plain", "[login] Password: required"), ("application/json", #"{"image":"docker://postgres:16-alpine"}"#),
    // Addresses of mail, names of people, paths, and hosts without a path.
    ("text/plain", "cc @ada, ada_l@x.example and mailto:ada@x.example, see //ada@x.example, https://x.example/a//b@c"),
    ("application/json", #"["https://registry.example/@ada/kit","C:/ada@home","ada.l1815@x.example/notes","@here"]"#),
    (
      "application/json",
      #"["http://localhost","https://api-2.example","http://backend","http://web1","ws://10.0.0.1"]"#
    ),
    ("application/json", #"["https://d111111abcdef8.cloudfront.example","see https://x.example...","https://…"]"#),
    ("application/json", #"{"next":"http://orders-service-2/orders?page=2","server":"http://orders-service-2"}"#),
  ])
  func `a text that has no secret stays as it is`(_ type: String, _ body: String) async throws {
    #expect(String(decoding: try await kept(Data(body.utf8), type), as: UTF8.self) == body)
  }

  @Test(arguments: ["application/x-protobuf", "application/grpc-web", "application/octet-stream", ""])
  func `bytes that happen to begin with a bracket are kept`(_ type: String) async throws {
    for start in [[0x0A, 0x3C, 0x08, 0x01], [0x00, 0x00, 0x00, 0x00, 0x5B, 0x0A, 0x02], [0x7B, 0x00, 0x01, 0xFF]]
      as [[UInt8]]
    {
      let bytes = Data(start + Array(repeating: 0x9C, count: 70))
      #expect(try await kept(bytes, type) == bytes)
    }
  }

  @Test func `a request in a part of a batch keeps neither its fields nor the secrets of its body`() async throws {
    let body =
      "--b\r\nContent-Type: application/http\r\n\r\nPOST /login?token=hidden HTTP/1.1\r\nAuthorization: Bearer hidden\r\n"
      + "Content-Type: application/json\r\n\r\n{\"password\":\"hidden\",\"name\":\"ada\"}\r\n--b--"
    let found = String(decoding: try await kept(Data(body.utf8), "multipart/mixed; boundary=b"), as: UTF8.self)
    #expect(!found.contains("hidden"), "\(found)")
    #expect(found.contains(#""name":"ada""#))
    #expect(found.contains("Content-Type: application/json\r\n\r\n"))
  }

  @Test func `the password of basic is a secret elsewhere`() async throws {
    let credentials = Data("ada:hidden pass+word".utf8).base64EncodedString()
    let stub = StubAdapter().on(
      .get, "/**", .json(["a": .init("hidden pass+word"), "b": .init("x \(credentials)"), "c": "ada"]))
    let (file, _) = try await recorded(stub) { client in
      try await client.get("a") { try $0.setHeaders(["Authorization": "Basic \(credentials)"]) }
    }
    #expect(!file.contains("hidden") && !file.contains(credentials) && file.contains("ada"))
  }

  /// The body of a response as a recording has it.
  private func kept(_ body: Data, _ type: String) async throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appending(path: "formats-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Tests.swift").path
    let stub = StubAdapter()
    let answer = HTTPResponse(status: 200, headers: ["Content-Type": type], body: body)
    stub.on(.get, "/a", .respond { _ in answer })
    var answered = Data()
    for mode in [RecordingAdapter.Mode.record, .replay] {
      try await RecordingAdapter.use("formats", around: stub, mode: mode, file: file) { adapter in
        let request = URLRequest(url: try #require(URL(string: "https://api.example.com/a")))
        answered = try await adapter.send(request, body: .none, progress: nil).body
      }
    }
    return answered
  }

  @Test(arguments: [
    ("application/json", #"{"name":"é","password":"hidden-12345"}"#), ("", #" {"name":"é","password":"hidden-12345"}"#),
    ("image/png", #"[{"name":"é","password":"hidden-12345"}]"#), ("", "<a>é<password>hidden-12345</password></a>"),
    ("text/event-stream", #"data: {"name":"é","password":"hidden-12345"}"#),
    ("text/plain", "é https://x.example/?token=hidden-12345"),
    ("application/x-www-form-urlencoded", "name=é&password=hidden-12345"),
    ("multipart/form-data", #"--b\#nContent-Disposition: form-data; name="password"\#n\#nhidden-12345\#n--b--"#),
    ("multipart/form-data; boundary=c", #"--b\#nContent-Disposition: form-data; name="password"\#n\#nhidden-12345"#),
  ])
  func `a body that is no text of UTF-8 keeps no secret`(_ type: String, _ text: String) async throws {
    for encoding in [String.Encoding.isoLatin1, .utf16LittleEndian, .utf16BigEndian] {
      let body = try #require(text.data(using: encoding))
      let found = try await kept(body, type)
      #expect(!Self.has("hidden", found), "\(String(decoding: found, as: UTF8.self))")
      let isText = encoding != .isoLatin1 && type == "text/plain" || type.isEmpty || type == "image/png"
      #expect(isText || String(decoding: found, as: UTF8.self).hasPrefix("\(body.count) bytes that are no text"))
    }
  }

  /// Whether bytes have a text, also in UTF-16.
  private static func has(_ text: String, _ bytes: Data) -> Bool {
    [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian].contains { encoding in
      text.data(using: encoding).flatMap { bytes.range(of: $0) } != nil
    }
  }

  @Test(arguments: [
    ("iso-8859-1", String.Encoding.isoLatin1), ("utf-16le", .utf16LittleEndian), ("utf-16", .utf16),
    ("shift_jis", .shiftJIS),
  ])
  func `a secret of a text in another charset is taken out, and the charset stays`(
    _ label: String, _ encoding: String.Encoding
  ) async throws {
    let name = encoding == .shiftJIS ? "表" : "é"
    let body = try #require(#"{"name":"\#(name)","password":"hidden-12345"}"#.data(using: encoding))
    let found = try await kept(body, "application/json; charset=\(label)")
    #expect(String(data: found, encoding: encoding) == #"{"name":"\#(name)","password":"REDACTED"}"#)
    let harmless = try #require(#"{"name":"\#(name)"}"#.data(using: encoding))
    #expect(try await kept(harmless, "application/json; charset=\(label)") == harmless)
  }

  @Test func `bytes of no text are kept`() async throws {
    let bytes = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF])
    #expect(try await kept(bytes, "image/png") == bytes)
    #expect(try await kept(bytes, "") == bytes)
    // A file in Latin-1 that has no URL with a secret.
    let text = try #require("name;é\n".data(using: .isoLatin1))
    #expect(try await kept(text, "text/csv; charset=iso-8859-1") == text)
  }

  @Test(arguments: [
    // Names in other quotes, or in none, and escapes that are broken.
    ("{'a': 1, 'password': 'hid, den'}", "{'a': 1, 'password': 'REDACTED'}"),
    ("{a: true, password: \"hidden\", b: null}", "{a: true, password: \"REDACTED\", b: null}"),
    ("{password: hidden, token: null}", "{password: REDACTED, token: null}"),
    (#"{"pass\u0077ord\q":"hidden"}"#, #"{"pass\u0077ord\q":"REDACTED"}"#),
    (#"{"a":"{\"password\":\"hidden\",\"b\":\"\ud83d\"}"}"#, #"{"a":"{\"password\":\"REDACTED\",\"b\":\"\\ud83d\"}"}"#),
    ("f({\"password\":\"hidden\"})", "f({\"password\":\"REDACTED\"})"),
  ])
  func `a secret of broken JSON is not kept`(_ body: String, _ found: String) async throws {
    let type = body.hasPrefix("f(") ? "application/javascript" : "application/json"
    let text = String(decoding: try await kept(Data(body.utf8), type), as: UTF8.self)
    #expect(text == found)
  }

  @Test(arguments: [
    ("see https://ada:hidden", "see https://REDACTED"), ("GET https://ada:hid…: 200", "GET https://REDACTED 200"),
    ("https://ada:1234567", "https://REDACTED"),
    ("(http://[::1]:8080), http://a.b:80.", "(http://[::1]:8080), http://a.b:80."),
    ("http://localhost:8080", "http://localhost:8080"),
    ("https://münchen.example: here", "https://münchen.example: here"),
    // A token alone, whose `@` is cut off, and schemes that are broken.
    ("see https://ghp_abc", "see https://REDACTED"), ("(https://ghp_abc123).", "(https://REDACTED"),
    ("GET https://ghp_abc…: 200", "GET https://REDACTED 200"),
    ("GET https://ghp_a...: 200", "GET https://REDACTED 200"),
    ("https://a1b2c3d4e5", "https://REDACTED"), ("https://eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", "https://REDACTED"),
    ("https://ghp_abc123@", "https://REDACTED@"),
    ("clone https:/ghpabc@h.example/x", "clone https:/REDACTED@h.example/x"),
    ("clone //ghp_abc123@h.example/x", "clone //REDACTED@h.example/x"), ("//ada:hidden@h", "//REDACTED@h"),
    ("//ada:4711@db.example", "//REDACTED@db.example"), ("postgres:/ada:4711@h", "postgres:/REDACTED@h"),
    ("http://a.b,https://ghpabc@h/x", "http://a.b,https://REDACTED@h/x"),
  ])
  func `the user info of a URL that is cut is not kept`(_ text: String, _ found: String) async throws {
    let text = String(decoding: try await kept(Data(text.utf8), "text/plain"), as: UTF8.self)
    #expect(text == found)
  }

  @Test(arguments: [
    // A head that ends with line feeds, a part without a head, a name and a value in Latin-1, and a value that is deep.
    (
      "multipart/form-data; boundary=b", "--b\nContent-Disposition: form-data; name=\"password\"\n\nhidden\r\n\r\n--b--"
    ),
    ("multipart/mixed; boundary=b", "--b\r\n{\"password\":\"hidden\"}\r\n--b--"),
    ("application/x-www-form-urlencoded", "%70assword%E9=hidden"),
    ("application/x-www-form-urlencoded", "a=%7B%22password%22%3A%22hidden%22%2C%22b%22%3A%22%E9%22%7D"),
    ("application/json", Self.deep(#"{"password":"hidden"}"#)),
  ])
  func `a secret of a part that is broken or too deep is not kept`(_ type: String, _ body: String) async throws {
    #expect(!Self.has("hidden", try await kept(Data(body.utf8), type)))
  }

  @Test(arguments: [
    // A type that is wrong.
    ("application/x-www-form-urlencoded", #"{"password":"a=hidden"}"#),
    ("application/json", "<a><password>hidden</password></a>"),
    ("application/x-www-form-urlencoded", "<password>hidden</password>"), ("text/xml", #"{"password":"hidden"}"#),
    ("text/html", #"[1] <input name="password" value="hidden">"#), ("", "{'password': 'hidden'}"),
    ("application/json", #"{"a":"{'password': 'hidden'}"}"#),
    ("application/x-www-form-urlencoded", "a=1&%7B%22token%22%3A%22hidden%22%7D"),
  ])
  func `a secret is not kept where the type of the body is wrong`(_ type: String, _ body: String) async throws {
    let found = try await kept(Data(body.utf8), type)
    #expect(!Self.has("hidden", found), "\(String(decoding: found, as: UTF8.self))")
  }

  @Test func `the password of basic is a secret elsewhere, without padding, too`() async throws {
    let credentials = Data("ada:hidden-12345".utf8).base64EncodedString()
    #expect(credentials.hasSuffix("="))
    let stub = StubAdapter().on(.get, "/**", .json(["a": "hidden-12345"]))
    let (file, _) = try await recorded(stub) { client in
      try await client.get("a") {
        try $0.setHeaders(["Authorization": "Basic \(credentials.trimmingCharacters(in: ["="]))"])
      }
    }
    #expect(!file.contains("hidden"))
  }

  /// A text within URLs within URLs, as often as nobody reads it.
  private static func deep(_ text: String) -> String {
    var text = text
    for _ in 0..<9 {
      text = "https://x.example/?a=" + (text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
    return "[\"\(text)\"]"
  }
}
