import EntityClient
import EntityTesting
import Testing
import TestSupport
import HTTPFoundation

/// Random secrets in random places of requests and responses: no recording has one, in whatever encoding.
@Suite struct RecordingPropertyTests {
  @Test(arguments: 0..<200) func `no recording has a secret`(_ round: Int) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var exchange = SecretExchange(seed)
    let place = exchange.pick(SecretExchange.places.count)
    let (request, response) = (exchange.request(place), exchange.response(place))
    let stub = StubAdapter().on(.post, "/**", .respond { _ in response })
    let folder = FileManager.default.temporaryDirectory.appending(path: "property-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Tests.swift").path
    try await RecordingAdapter.use("secrets", around: stub, mode: .record, file: file) { adapter in
      _ = try await adapter.send(request, body: RequestBody(of: request), progress: nil)
    }
    let text = try String(contentsOf: folder.appending(path: "Recordings/secrets.har"), encoding: .utf8)
    #expect(text.contains("REDACTED"), "seed \(seed), \(SecretExchange.places[place])")
    for form in exchange.forms where text.contains(form) {
      Issue.record("The file has \(form). Seed \(seed), \(SecretExchange.places[place]): \(exchange.secret)\n\(text)")
    }
  }
}

/// A request that has a secret, and a response that repeats it.
private struct SecretExchange {
  static let places = [
    "bearer", "basic", "cookie", "query", "nested query", "form", "JSON", "JSON in JSON", "XML element",
    "XML attribute",
    "part of a form", "response JSON", "response XML", "response cookie", "user info",
  ]

  private var state: UInt64
  private(set) var secret = ""

  init(_ seed: UInt64) {
    state = seed
    let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=&%\\\"'<>?#;:~!-_ éß🙂")
    let length = 6 + pick(16)
    // Letters at both ends: blanks there belong to no field.
    secret = "S" + String((0..<length).map { _ in alphabet[pick(alphabet.count)] }) + "Z9"
  }

  mutating func pick(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  // MARK: Encodings, by other means than those of the library

  private static func percent(_ text: String, space: String = "%20", isUpper: Bool = true) -> String {
    text.utf8.map { byte in
      let scalar = Character(Unicode.Scalar(byte))
      if byte < 128, scalar.isLetter || scalar.isNumber || "-._~".contains(scalar) { return String(scalar) }
      return byte == 32 ? space : String(format: isUpper ? "%%%02X" : "%%%02x", Int(byte))
    }.joined()
  }

  private static func json(_ text: String, isASCII: Bool = false) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case _ where isASCII && !scalar.isASCII:
        String(scalar).utf16.map { String(format: "\\u%04x", Int($0)) }.joined()
      default: String(scalar)
      }
    }.joined()
  }

  private static func xml(_ text: String, isNumeric: Bool = false) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case _ where isNumeric && !(scalar.isASCII && scalar.properties.isAlphabetic): "&#\(scalar.value);"
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&apos;"
      default: String(scalar)
      }
    }.joined()
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// The secrets that no file may have, as a text of JSON: the file itself escapes each.
  var forms: Set<String> {
    let plain = [
      secret, Self.percent(secret), Self.percent(secret, isUpper: false), Self.percent(secret, space: "+"),
      Self.json(secret), Self.json(secret, isASCII: true), Self.json(Self.json(secret)), Self.xml(secret),
      Self.xml(secret, isNumeric: true), Self.percent(Self.percent(secret)),
    ]
    // The middle of base64, which the text before and behind does not change.
    let coded = ["", "a", "ab"].map { String(Self.base64($0 + secret).dropFirst(4).dropLast(4)) }
    return Set((plain + coded).flatMap { [$0, Self.json($0)] })
  }

  /// Texts in which a server repeats a secret.
  private var echoes: [String] {
    [
      "x \(secret) y", "/a?b=\(Self.percent(secret))", Self.percent(secret, isUpper: false),
      "b=\(Self.percent(secret, space: "+"))&c=1", "said: {\"a\": \"\(Self.json(secret))\"}",
      Self.json(secret, isASCII: true), "see <b>\(Self.xml(secret))</b>", Self.xml(secret, isNumeric: true),
      Self.base64(secret), Self.base64("user:\(secret)"), "got " + Self.base64("{\"a\":\"\(Self.json(secret))\"}"),
      Self.percent(Self.base64("ab\(secret)c")), Self.percent(Self.percent(secret)),
      Self.base64(secret).replacing("+", with: "-").replacing("/", with: "_"),
    ]
  }

  // MARK: Messages

  private static func request(_ body: String = "", _ type: String = "", _ query: String = "") -> URLRequest {
    var request = URLRequest(url: URL(string: "https://api.example.com/a\(query)")!)
    request.httpMethod = "POST"
    if !body.isEmpty { request.httpBody = Data(body.utf8) }
    if !type.isEmpty { request.setValue(type, forHTTPHeaderField: "Content-Type") }
    return request
  }

  private static func field(_ name: String, _ value: String) -> URLRequest {
    var request = request()
    request.setValue(value, forHTTPHeaderField: name)
    return request
  }

  mutating func request(_ place: Int) -> URLRequest {
    let name = ["password", "access_token", "clientSecret", "X-Amz-Signature", "apiKey"][pick(5)]
    let coded = pick(2) == 0 ? Self.percent(secret) : Self.percent(secret, space: "+", isUpper: false)
    let request =
      switch Self.places[place] {
      case "bearer": Self.field("Authorization", "Bearer \(ascii)")
      case "basic": Self.field("Authorization", "Basic \(Self.base64("ada:\(secret)"))")
      case "cookie": Self.field("Cookie", "a=1; s=\(Self.percent(secret))")
      case "query": Self.request("", "", "?x=1&\(name)=\(coded)&y=2")
      case "nested query": Self.request("", "", "?to=\(Self.percent("https://x/?\(name)=\(coded)"))")
      case "form": Self.request("x=1&\(name)=\(coded)", "application/x-www-form-urlencoded")
      case "JSON": Self.request("{\"a\":[{\"\(name)\":\"\(Self.json(secret))\"}]}", "application/json")
      case "JSON in JSON":
        Self.request("{\"a\":\"\(Self.json("{\"\(name)\":\"\(Self.json(secret))\"}"))\"}", "application/json")
      case "XML element": Self.request("<a><\(name)>\(Self.xml(secret))</\(name)></a>", "application/xml")
      case "XML attribute": Self.request("<a \(name)=\"\(Self.xml(secret, isNumeric: true))\"/>", "text/xml")
      case "part of a form":
        Self.request(
          "--b\r\nContent-Disposition: form-data; filename=a; name=\(name)\r\n\r\n\(secret)\r\n--b--\r\n",
          "multipart/form-data; boundary=b")
      default: Self.request()
      }
    if Self.places[place] == "user info" {
      var other = request
      other.url = URL(string: "https://ada:\(Self.percent(secret))@api.example.com/a")
      return other
    }
    return request
  }

  /// A field has no other characters.
  private var ascii: String {
    mutating get {
      secret =
        String(secret.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~+/=".contains($0)) }) + "abcdefgh"
      return secret
    }
  }

  mutating func response(_ place: Int) -> HTTPResponse {
    var headers: HTTPHeaders = [:]
    let echo = echoes[pick(echoes.count)]
    var body = "{\"id\":1,\"echo\":\"\(Self.json(echo))\""
    var type = "application/json"
    switch Self.places[place] {
    case "response cookie": headers.add("s=\(Self.percent(secret)); HttpOnly", to: "Set-Cookie")
    case "response JSON": body += ",\"user\":{\"refreshToken\":\"\(Self.json(secret, isASCII: pick(2) == 0))\"}"
    default: break
    }
    body += "}"
    if Self.places[place] == "response XML" {
      body = "<r><token>\(Self.xml(secret))</token><echo>\(Self.xml(echo))</echo></r>"
      type = "application/xml"
    } else if pick(3) == 0, !["response JSON"].contains(Self.places[place]) {
      (body, type) = (echo, "text/plain")
    }
    headers.add(type, to: "Content-Type")
    return HTTPResponse(status: 200, headers: headers, body: Data(body.utf8))
  }
}
