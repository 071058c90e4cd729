import EntityClient
import Testing
import HTTPFoundation

/// Bodies of mixed values.
@Suite struct JSONBodyTests {
  @Test func `Foundation's numbers keep their kind`() throws {
    var request = URLRequest(url: try #require(URL(string: "https://h/")))
    let number = try #require(JSONSerialization.jsonObject(with: Data("[true, 1, 0, false]".utf8)) as? [Any])
    try request.setJSON([
      "a": NSNumber(value: 1), "b": NSNumber(value: 0), "c": NSNumber(value: true), "d": NSNumber(value: false),
      "e": NSNumber(value: Int8(1)), "f": NSNumber(value: 1.0), "g": NSNumber(value: 2.5),
      "h": NSNumber(value: UInt64.max),
      "i": NSDecimalNumber(string: "0.10"), "j": NSNumber(value: Float(0.1)), "k": true, "l": 1, "m": number,
      "n": NSNumber(value: Int64.min),
    ])
    #expect(
      request.httpBody.map { String(decoding: $0, as: UTF8.self) }
        == #"{"a":1,"b":0,"c":true,"d":false,"e":1,"f":1,"g":2.5,"h":18446744073709551615,"i":0.1,"j":0.1,"k":true,"#
        + #""l":1,"m":[true,1,0,false],"n":-9223372036854775808}"#)
  }

  @Test func `keys of a body are sorted by their bytes`() throws {
    var request = URLRequest(url: try #require(URL(string: "https://h/")))
    try request.setJSON(
      ["f": 1, "e\u{301}": 2, "\u{e9}a": 3, "": 4, "\u{ffff}": 5, "😀": 6, "B": 7, "10": 8, "9": 9] as [String: Any])
    #expect(
      request.httpBody.map { String(decoding: $0, as: UTF8.self) }
        == "{\"\":4,\"10\":8,\"9\":9,\"B\":7,\"e\u{301}\":2,\"f\":1,\"\u{e9}a\":3,\"\u{ffff}\":5,\"😀\":6}")
  }

  @Test func `a body may be as deep as the reader allows`() async throws {
    let url = try #require(URL(string: "https://h/"))
    func body(_ depth: Int) throws -> Data? {
      var request = URLRequest(url: url)
      var value: Any = 1
      for _ in 0..<depth { value = [value] as [Any] }
      try request.setJSON(["v": value])
      return request.httpBody
    }
    let data = try #require(try body(511))
    _ = try JSONValue(parsing: data)
    #expect(try await requestError { try body(512) }.kind == .invalidRequest)
  }

  @Test func `refusals name the key path`() async throws {
    let url = try #require(URL(string: "https://h/"))
    var request = URLRequest(url: url)
    for (value, path) in [
      (["a": ["b": [1, Double.nan] as [Any]] as [String: Any]], "a.b[1]"), (["x": Float.infinity], "x"),
      (["d": Decimal.nan], "d"), (["n": NSNumber(value: Double.nan)], "n"), (["n": NSDecimalNumber.notANumber], "n"),
      (["t": Date(timeIntervalSince1970: 1e12)], "t"), (["l": [[Double.infinity]] as [[Double]]], "l[0][0]"),
    ] as [([String: Any], String)] {
      let error = try await requestError { try request.setJSON(value) }
      #expect(error.kind == .invalidRequest)
      #expect(error.description.contains("'\(path)'"))
    }
    var deep: Any = 1
    for _ in 0..<5000 { deep = [deep] as [Any] }
    let value = deep
    #expect(try await requestError { try request.setJSON(["deep": value]) }.kind == .invalidRequest)
  }
}
