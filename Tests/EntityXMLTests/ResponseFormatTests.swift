import EntityClient
import EntityTesting
import Foundation
import Testing

/// Formats that a project writes itself.
struct ResponseFormatTests {
  /// Lines of `name=value`.
  private struct Lines: ResponseFormat {
    var name = "lines"
    var isTyped = false
    var mediaType = "text/lines"

    func reads(_ contentType: ContentType) -> Bool { contentType.mediaType == mediaType }

    func value(of body: Data, contentType: ContentType, limits: JSONLimits) throws -> JSONValue {
      let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "=") }
      guard lines.allSatisfy({ $0.count == 2 }) else { throw Bad(secret: String(decoding: body, as: UTF8.self)) }
      return JSONObject(fields: lines.map { (String($0[0]), JSONValue(String($0[1]))) }).value
    }

    struct Bad: Error {
      let secret: String
    }
  }

  private func client(_ formats: [any ResponseFormat], _ text: String, _ type: String = "text/lines") throws -> Client {
    let stub = StubAdapter()
    stub.on(.get, "/x", .text(text, contentType: type))
    return try Client(adapter: stub, baseURL: "https://api.example.com/", formats: formats)
  }

  @Test func `a format without types reads texts as the expected types`() async throws {
    struct Values: Decodable, Sendable {
      let n: Int
      let list: [Double]
    }
    let values = try await client([Lines()], "n=5\nlist=1.5").get("x", as: Values.self).value
    #expect(values.n == 5)
    #expect(values.list == [1.5])
  }

  @Test func `a format with types does not read a text as another type`() async throws {
    let client = try client([Lines(isTyped: true)], "n=5")
    await #expect(throws: RequestError.self) {
      try await client.get("x", as: Int.self, options: .envelope("n"))
    }
    #expect(try await client.get("x", as: String.self, options: .envelope("n")).value == "5")
  }

  @Test func `the first of two formats of one media type counts`() async throws {
    let client = try client([Lines(name: "first", mediaType: "text/other"), Lines(name: "second"), Lines()], "bad")
    do {
      try await client.get("x")
      Issue.record("nothing was thrown")
    } catch let error as RequestError {
      #expect(error.kind == .parsing)
      #expect(error.underlying is Lines.Bad)
      // An error of others may hold what the body has.
      #expect("\(error)".hasSuffix("The body is not second (its content type is 'text/lines'): Bad"), "\(error)")
      #expect(error.body == nil)
    }
  }

  @Test(
    arguments: [
      ("text/xml", "text/xml", nil), ("TEXT/Xml", "text/xml", nil), (" text/xml ;charset=utf-8", "text/xml", "utf-8"),
      ("text/xml; Charset=\"ISO-8859-1\"; x=y", "text/xml", "ISO-8859-1"),
      ("a/b; x=\"; charset=no\"; charset=yes", "a/b", "yes"),
      ("a/b; charset", "a/b", nil), ("a/b;;", "a/b", nil), ("", "", nil), ("a/b, c/d", "a/b", nil),
      ("a/b; charset=\"", "a/b", "\""),
    ] as [(String, String, String?)])
  func `a content type is read from its header`(_ text: String, _ mediaType: String, _ charset: String?) {
    let contentType = ContentType(text)
    #expect(contentType.mediaType == mediaType)
    #expect(contentType.charset == charset)
  }
}
