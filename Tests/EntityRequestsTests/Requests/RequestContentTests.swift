import EntityClient
import Testing
import HTTPFoundation

/// Headers and bodies of a request.
@Suite struct RequestContentTests {
  private func request() throws -> URLRequest { URLRequest(url: try #require(URL(string: "https://h/x"))) }

  private func json(_ change: (inout URLRequest) throws -> Void) throws -> String {
    var request = try request()
    try change(&request)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    return String(decoding: try #require(request.httpBody), as: UTF8.self)
  }

  @Test func `headers are set and added`() throws {
    var request = try request()
    try request.setHeaders(["X-A": "1", "X-B": "2"])
    try request.setHeaders(["x-a": "3"])
    try request.addHeaders(["X-B": "4"])
    #expect(request.value(forHTTPHeaderField: "X-A") == "3")
    #expect(request.value(forHTTPHeaderField: "X-B") == "2,4")
    try request.setHeaders(["X-A": " a b\t", "X-Empty": "", "X-Name": "é"])
    #expect(request.value(forHTTPHeaderField: "X-A") == "a b")
    #expect(request.value(forHTTPHeaderField: "X-Empty") == "")
    #expect(request.value(forHTTPHeaderField: "X-Name") == "é")
  }

  @Test(arguments: [
    ("X-A", "secret\n"), ("X-A", "a\r\nX-Evil: 1"), ("X-A", "a\0b"), ("X-A", "\u{7F}"), ("", "a"), ("X A", "a"),
    ("X:A", "a"), ("X-É", "a"), ("X\n", "a"),
  ])
  func `an invalid request is refused`(_ name: String, _ value: String) async throws {
    var request = try request()
    try request.setHeaders(["X-A": "before"])
    let error = try await requestError { try request.setHeaders(["X-A": "new", name: value]) }
    #expect(error.kind == .invalidRequest)
    #expect(!error.description.contains("secret"))
    #expect(!error.description.contains("Evil"))
    #expect(request.value(forHTTPHeaderField: "X-A") == "before")
    #expect(try await requestError { try request.addHeaders([name: value]) }.kind == .invalidRequest)
    #expect(try await requestError { try request.setData(Data(), contentType: "a\nb") }.kind == .invalidRequest)
  }

  @Test func `JSON values become JSON`() throws {
    let value: JSONValue = ["b": 1, "a": [true, nil]]
    #expect(try json { try $0.setJSON(value) } == #"{"b":1,"a":[true,null]}"#)
    let object: JSONObject = ["n": 18_446_744_073_709_551]
    #expect(try json { try $0.setJSON(object) } == #"{"n":18446744073709551}"#)
    #expect(try json { try $0.setJSON(["email": "a@x", "age": 3]) } == #"{"email":"a@x","age":3}"#)
    #expect(try json { try $0.setJSON([1, 2]) } == "[1,2]")
  }

  @Test func `Encodable values become JSON`() throws {
    struct Body: Encodable {
      var name = "A/B"
      var at = Date(timeIntervalSince1970: 0.5)
      var data = Data([0, 255])
      var big = UInt64.max
    }
    #expect(
      try json { try $0.setJSON(Body()) }
        == #"{"at":"1970-01-01T00:00:00.5Z","big":18446744073709551615,"data":"AP8=","name":"A/B"}"#)
    let names: [String: String] = ["b": "1", "a": "2"]
    #expect(try json { try $0.setJSON(names) } == #"{"a":"2","b":"1"}"#)
  }

  @Test func `mixed dictionaries become JSON`() throws {
    let email: String? = nil
    let age = 3
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let text = try json {
      try $0.setJSON([
        "email": email, "age": age, "big": UInt64.max, "flag": true, "ratio": 0.1 as Float, "uuid": uuid,
        "at": Date(timeIntervalSince1970: 0), "data": Data([1]), "list": [1, "a", nil] as [Any?],
        "nested": ["x": NSNull(), "y": ["z": Decimal(string: "1.10")]] as [String: Any],
        "value": ["k": 1.0] as JSONValue,
      ])
    }
    #expect(
      text
        == #"{"age":3,"at":"1970-01-01T00:00:00Z","big":18446744073709551615,"data":"AQ==","email":null,"flag":true,"#
        + #""list":[1,"a",null],"nested":{"x":null,"y":{"z":1.1}},"ratio":0.1,"#
        + #""uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","value":{"k":1}}"#)
  }

  @Test func `enums and any Encodable value are JSON too`() throws {
    var request = try request()
    try request.setJSON([
      "rank": Rank.chief, "tier": Tier?.some(.high) as Any, "grants": Grants([.read, .write]),
      "setup": Setup(isDark: true, since: Date(timeIntervalSince1970: 0)), "none": Rank?.none as Any,
      "list": [Rank.member, Setup.Limit(name: "x", most: 1.5)] as [Any],
    ])
    let body = try JSONValue(parsing: try #require(request.httpBody))
    #expect(
      body == [
        "rank": "chief", "tier": 10, "grants": 3, "none": nil,
        "setup": ["isDark": true, "limits": [], "since": "1970-01-01T00:00:00Z"],
        "list": ["member", ["name": "x", "most": 1.5]],
      ])
    let error = #expect(throws: RequestError.self) {
      try request.setJSON(["a": [Setup.Limit(name: "hidden", most: .nan)]] as [String: Any?])
    }
    #expect(error?.description.contains("a[0]") == true)
    #expect(error?.description.contains("hidden") == false)
  }

  @Test func `numbers that are not finite are refused`() async throws {
    struct Item: Encodable {
      var price: Decimal
      var name = "NaN hidden"
    }
    struct Body: Encodable { var ratios = ["a": [1, Double.nan]] }
    var request = try request()
    for item in [Item(price: .nan)] {
      #expect(try await requestError { try request.setJSON([item]) }.kind == .invalidRequest)
      let error = try await requestError { try request.setJSON(["a": item] as [String: Any?]) }
      #expect(error.kind == .invalidRequest)
      #expect(!error.description.contains("hidden"))
      #expect(try await requestError { try request.setForm(item) }.kind == .invalidRequest)
    }
    let error = try await requestError { try request.setJSON(Body()) }
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("'ratios.a[1]'"))
    #expect(request.httpBody == nil)
    try request.setJSON(Item(price: 1))
  }

  @Test func `a value that is no JSON is refused by its key`() async throws {
    struct Secret: Sendable { let text = "hidden" }
    var request = try request()
    let error = try await requestError { try request.setJSON(["a": ["b": [1, Secret()] as [Any]] as [String: Any]]) }
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("a.b[1]"))
    #expect(!error.description.contains("hidden"))
    #expect(try await requestError { try request.setJSON(["a": Double.nan as Any]) }.kind == .invalidRequest)
    #expect(try await requestError { try request.setJSON([Double.infinity]) }.kind == .invalidRequest)
    #expect(request.httpBody == nil)
  }

  @Test func `data has the content type that it is given`() throws {
    var request = try request()
    try request.setData(Data([1, 2]), contentType: "image/png")
    #expect(request.httpBody == Data([1, 2]))
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "image/png")
  }

  @Test func `methods are tokens`() {
    #expect(HTTPMethod(rawValue: "PROPFIND")?.rawValue == "PROPFIND")
    #expect(HTTPMethod(rawValue: "GET") == .get)
    #expect(HTTPMethod(rawValue: "") == nil)
    #expect(HTTPMethod(rawValue: "GET /") == nil)
    #expect(HTTPMethod(rawValue: "GET\r\n") == nil)
  }
}
