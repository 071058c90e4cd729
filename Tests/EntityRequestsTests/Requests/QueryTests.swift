import EntityClient
import HTTPFoundation
import Testing

@Suite struct QueryTests {
  @Test func `values are written in their order`() {
    let missing: String? = nil
    let there: Int? = 7
    let date = Date(timeIntervalSince1970: 1_714_564_800)
    let query: QueryParameters = [
      "z": 1, "a": "x", "flag": true, "ratio": 1.5, "none": nil, "missing": missing, "there": there,
      "list": ["b", "a"], "empty": [String](), "since": date, "z": 2,
    ]
    #expect(
      query.encoded
        == "z=1&a=x&flag=true&ratio=1.5&there=7&list=b&list=a&since=2024-05-01T12%3A00%3A00Z&z=2")
  }

  @Test func `all characters but the unreserved ones are encoded`() {
    let query: QueryParameters = ["a b&=": "+&=#?/:;,%20 \"é🎉\r\n", "ok": "Az09-._~"]
    #expect(
      query.encoded
        == "a%20b%26%3D=%2B%26%3D%23%3F%2F%3A%3B%2C%2520%20%22%C3%A9%F0%9F%8E%89%0D%0A&ok=Az09-._~")
  }

  @Test func `a query is made at run time too`() {
    var query = QueryParameters(["b": 2, "a": 1])
    query.append("c", nil)
    query.append("c", [3, 4])
    #expect(query.encoded == "a=1&b=2&c=3&c=4")
    #expect(!query.isEmpty)
    #expect(QueryParameters().isEmpty)
  }

  @Test func `a value that holds nothing is an empty field of a form`() throws {
    let missing: String? = nil
    let form = QueryParameters(
      ["a": missing, "b": [missing, nil], "c": 1, "d": [missing, "x"]] as [String: any QueryParameterValue])
    #expect(form.encoded == "c=1&d=x")
    var request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
    try request.setForm(form)
    #expect(request.httpBody.map { String(decoding: $0, as: UTF8.self) } == "a=&b=&c=1&d=x")
  }

  @Test(arguments: [
    (0.0, "1970-01-01T00:00:00Z"), (0.5, "1970-01-01T00:00:00.5Z"), (-0.25, "1969-12-31T23:59:59.75Z"),
    (1_709_294_400, "2024-03-01T12:00:00Z"), (1_709_251_199.123, "2024-02-29T23:59:59.123Z"),
    (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
    (951_782_400, "2000-02-29T00:00:00Z"), (-2_203_891_200, "1900-03-01T00:00:00Z"),
  ])
  func `dates are ISO 8601`(_ seconds: Double, _ text: String) {
    #expect(Date(timeIntervalSince1970: seconds).queryValues == [text])
  }

  @Test func `a number that is not finite is left out`() {
    #expect(Double.nan.queryValues.isEmpty)
    #expect((-Double.infinity).queryValues.isEmpty)
    #expect(Float.nan.queryValues.isEmpty)
    #expect(Decimal.nan.queryValues.isEmpty)
    #expect(Decimal(1).queryValues == ["1"])
    #expect(1e300.queryValues == ["1e+300"])
  }

  @Test func `a date that has no text is left out`() {
    #expect(Date(timeIntervalSince1970: 1e15).queryValues.isEmpty)
    #expect(Date(timeIntervalSince1970: -1e15).queryValues.isEmpty)
    #expect(Date(timeIntervalSince1970: .nan).queryValues.isEmpty)
  }
}
