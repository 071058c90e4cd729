import EntityRequests
import Testing

/// The header fields of a response are bytes until they are asked for.
@Suite struct HeaderLinesTests {
  private let headers = HTTPHeaders(
    HeaderLines(
      Array(
        "Content-Type: text/plain\nX-A:1\nx-empty:\nSet-Cookie: \t a=b; c:d \nSET-COOKIE : e\nX-Name: \u{E9}\n".utf8)))

  /// The same fields as texts.
  private var texts: HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, value) in headersInOrder { headers.add(value, to: name) }
    return headers
  }

  private let headersInOrder = [
    ("Content-Type", "text/plain"), ("X-A", "1"), ("x-empty", ""), ("Set-Cookie", "a=b; c:d"), ("SET-COOKIE", "e"),
    ("X-Name", "\u{E9}"),
  ]

  @Test func `a field is found without regard to case`() {
    #expect(headers["content-type"] == "text/plain")
    #expect(headers["x-a"] == "1")
    #expect(headers["X-Empty"] == "")
    #expect(headers["set-cookie"] == "a=b; c:d")
    #expect(headers["X-NAME"] == "\u{E9}")
    #expect(headers["X"] == nil)
    #expect(headers["Content-Typf"] == nil)
    #expect(headers[""] == nil)
  }

  @Test func `header fields stay the same in the same order`() {
    #expect(headers.map(\.name) == headersInOrder.map(\.0))
    #expect(headers.map(\.value) == headersInOrder.map(\.1))
    #expect(headers.values(of: "Set-Cookie") == ["a=b; c:d", "e"])
    #expect(headers.values(of: "X-B").isEmpty)
    #expect(headers.count(of: "set-COOKIE") == 2)
    #expect(headers.count(of: "X-B") == 0)
    #expect(headers.count == 6)
    #expect(headers == texts)
    #expect(HTTPHeaders(HeaderLines([])) == HTTPHeaders())
  }

  @Test func `a change of one header field keeps the others`() {
    var changed = headers
    changed["SET-cookie"] = nil
    changed["X-A"] = "2"
    changed.add("3", to: "X-B")
    #expect(changed["X-A"] == "2")
    #expect(changed["set-cookie"] == nil)
    #expect(changed.map(\.name) == ["Content-Type", "x-empty", "X-Name", "X-A", "X-B"])
    #expect(headers["X-A"] == "1")
    #expect(changed != headers)
  }

  @Test func `bytes that are no UTF-8 are read as Latin-1`() {
    let headers = HTTPHeaders(HeaderLines(Array("X: a".utf8) + [0xE9, 0x0A]))
    #expect(headers["x"] == "a\u{E9}")
  }
}
