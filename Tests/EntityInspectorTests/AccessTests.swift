import EntityInspector
import EntityStore
import Foundation
import Testing

/// The requests that the inspector answers, and those that it refuses.
struct AccessTests {
  private func send(_ test: InspectedStore, at target: String? = nil, _ fields: [String], method: String = "GET") throws
    -> Int
  {
    let browser = test.browser
    return try RawBrowser.send(
      browser.port, RawBrowser.head(target ?? "\(browser.root)e/Writer", fields, method: method)
    ).status
  }

  @Test func `the URL's token is exchanged for a cookie of a random path, and leaves the address`() async throws {
    let test = try await InspectedStore()
    let query = try #require(test.inspector.url.query())
    let host = "Host: 127.0.0.1:\(test.browser.port)"
    let reply = try RawBrowser.send(test.browser.port, RawBrowser.head("/?\(query)", [host]))
    #expect(reply.status == 303)
    let root = try #require(reply.field("Location"))
    #expect(root.wholeMatch(of: /\/[0-9a-f]{32}\//) != nil)
    let cookie = try #require(reply.field("Set-Cookie"))
    #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=\(root)"))
    #expect(test.inspector.url.host() == "127.0.0.1")
    // The token is used up: another browser gets no cookie, and the same one is led to the pages.
    let second = try RawBrowser.send(test.browser.port, RawBrowser.head("/?\(query)", [host]))
    #expect(second.status == 303 && second.field("Location") == root && second.field("Set-Cookie") == nil)
    #expect(test.inspector.url.query() != query)
    #expect(try RawBrowser(test.inspector.url).get("e/Writer").status == 200)
    #expect(try test.browser.get("e/Writer").status == 200)
  }

  @Test func `a request without the cookie, or with another token, is refused`() async throws {
    let test = try await InspectedStore()
    let host = "Host: 127.0.0.1:\(test.browser.port)"
    #expect(try send(test, [host]) == 403)
    #expect(try send(test, [host, "Cookie: inspector=0"]) == 403)
    #expect(try send(test, [host, "Cookie: other=1; \(test.browser.cookie)"]) == 200)
    #expect(try send(test, at: "/?token=\(String(repeating: "0", count: 64))", [host]) == 403)
    #expect(try send(test, at: "/?token=", [host]) == 403)
    #expect(try send(test, at: "/", [host]) == 403)
    // The path is secret, too, and a path of another inspector is none of this one.
    #expect(
      try send(test, at: "/00000000000000000000000000000000/e/Writer", [host, "Cookie: \(test.browser.cookie)"]) == 403)
  }

  @Test func `a request for another host is refused, so that no name of a page leads here`() async throws {
    let test = try await InspectedStore()
    let (port, cookie) = (test.browser.port, "Cookie: \(test.browser.cookie)")
    #expect(try send(test, ["Host: localhost:\(port)", cookie]) == 200)
    for host in [
      "evil.example:\(port)", "evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:\(port)", "",
    ] {
      #expect(try send(test, ["Host: \(host)", cookie]) == 421, "\(host)")
    }
    #expect(try send(test, [cookie]) == 421)
    #expect(try send(test, ["Host: 127.0.0.1:\(port)", "Host: evil.example", cookie]) == 421)
  }

  @Test func `a request from another site is refused`() async throws {
    let test = try await InspectedStore()
    let own = ["Host: 127.0.0.1:\(test.browser.port)", "Cookie: \(test.browser.cookie)"]
    for site in ["same-origin", "none"] { #expect(try send(test, own + ["Sec-Fetch-Site: \(site)"]) == 200) }
    for site in ["cross-site", "same-site", "x"] { #expect(try send(test, own + ["Sec-Fetch-Site: \(site)"]) == 403) }
    #expect(try send(test, own + ["Origin: http://127.0.0.1:\(test.browser.port)"]) == 200)
    for origin in ["http://127.0.0.1:1", "https://evil.example", "null"] {
      #expect(try send(test, own + ["Origin: \(origin)"]) == 403, "\(origin)")
    }
  }

  @Test func `nothing but GET is answered, and no body is taken`() async throws {
    let test = try await InspectedStore()
    let own = ["Host: 127.0.0.1:\(test.browser.port)", "Cookie: \(test.browser.cookie)"]
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "get"] {
      #expect(try send(test, own, method: method) == 405, "\(method)")
    }
    #expect(try send(test, own + ["Content-Length: 5"]) == 413)
    #expect(try send(test, own + ["Transfer-Encoding: chunked"]) == 413)
  }

  @Test func `a head that is no HTTP is refused`() async throws {
    let test = try await InspectedStore()
    let port = test.browser.port
    for text in [
      "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n", "GET http://127.0.0.1:\(port)/ HTTP/1.1\r\n\r\n", "\0\0\0\0\r\n\r\n",
      "GET /%zz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\n b\r\n\r\n", "GET /é HTTP/1.1\r\n\r\n",
    ] {
      #expect(try RawBrowser.send(port, text).status == 400, "\(text)")
    }
    let long = "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n"
    #expect(try RawBrowser.send(port, long).status == 431)
  }

  @Test func `each response keeps other pages and caches away`() async throws {
    let test = try await InspectedStore()
    let refusal = try RawBrowser.send(test.browser.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    for reply in [try test.browser.get("e/Writer"), try test.browser.get("inspector.js"), refusal] {
      let policy = try #require(reply.field("Content-Security-Policy"))
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
      #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
      #expect(reply.field("Cache-Control") == "no-store")
      #expect(reply.field("X-Content-Type-Options") == "nosniff")
      #expect(reply.field("X-Frame-Options") == "DENY")
      #expect(reply.field("Referrer-Policy") == "no-referrer")
      #expect(reply.field("Cross-Origin-Resource-Policy") == "same-origin")
      #expect(reply.field("Access-Control-Allow-Origin") == nil)
    }
  }

  @Test func `a seventeenth connection is refused until another one ends`() async throws {
    let test = try await InspectedStore()
    var held = try (0..<16).map { _ in try test.browser.events(after: 0) }
    // The server has taken a connection once it answers.
    for stream in held { _ = try stream.read(until: "\r\n\r\n") }
    let refused = try test.browser.get("e/Writer")
    #expect(refused.status == 503, "\(refused)")
    held = []
    var status = 503
    while status == 503 { status = try test.browser.get("e/Writer").status }
    #expect(status == 200)
  }

  @Test func `a stopped inspector takes no connection and ends its streams`() async throws {
    let test = try await InspectedStore()
    let stream = try test.browser.events(after: 0)
    _ = try stream.read(until: "\r\n\r\n")
    test.inspector.stop()
    while try stream.read() != nil {}
    #expect(throws: (any Error).self) {
      while true { _ = try test.browser.get("e/Writer") }
    }
  }
}
