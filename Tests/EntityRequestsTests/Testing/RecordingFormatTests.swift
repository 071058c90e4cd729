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

  @Test func `the password of basic is a secret elsewhere`() async throws {
    let credentials = Data("ada:hidden pass+word".utf8).base64EncodedString()
    let stub = StubAdapter().on(
      .get, "/**", .json(["a": .init("hidden pass+word"), "b": .init("x \(credentials)"), "c": "ada"]))
    let (file, _) = try await recorded(stub) { client in
      try await client.get("a") { try $0.setHeaders(["Authorization": "Basic \(credentials)"]) }
    }
    #expect(!file.contains("hidden") && !file.contains(credentials) && file.contains("ada"))
  }
}
