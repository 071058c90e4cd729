import EntityClient
import Testing

/// Paths: Overcoat's matcher (cases 1-12) and Sculptor's (13-15), as far as one pattern shows them.
@Suite struct MatcherCases {
  @Test func `Case 4: a text matches its own path, and neither a part of it nor more`() throws {
    let pattern = try PathPattern("test/things")
    for path in ["test", "things", "test/things/thingys"] { #expect(pattern.match(path) == nil, "\(path)") }
    #expect(pattern.match("test/things") != nil)
  }

  @Test func `Case 5: # is a number`() throws {
    let pattern = try PathPattern("test/#")
    #expect(pattern.match("test/42")?.unnamed == ["42"])
    #expect(pattern.match("test/things") == nil)
  }

  @Test func `Case 6: * is one component`() throws {
    let pattern = try PathPattern("test/*")
    #expect(pattern.match("test/whatever42")?.unnamed == ["whatever42"])
    #expect(pattern.match("test/whatever/42") == nil)
  }

  @Test func `Case 7: ** is one component or more`() throws {
    let pattern = try PathPattern("test2/**")
    #expect(pattern.match("test2/one")?.rest == ["one"])
    #expect(pattern.match("test2/one/two")?.rest == ["one", "two"])
  }

  @Test(arguments: ["test", "/test", "test/"]) func `Case 13: slashes at the ends mean nothing`(_ path: String) throws {
    for pattern in ["/test", "test", "test/"] { #expect(try PathPattern(pattern).match(path) != nil, "\(pattern)") }
  }

  @Test func `Case 15: * takes what # refuses`() throws {
    #expect(try PathPattern("test/*").match("test/foo42") != nil)
    #expect(try PathPattern("test/#").match("test/foo") == nil)
  }

  @Test func `O1†: only ASCII digits are a number, of any length`() throws {
    let pattern = try PathPattern("test/#")
    #expect(pattern.match("test/" + String(repeating: "9", count: 100)) != nil)
    for path in ["test/٤٢", "test/-1", "test/4.2", "test/"] { #expect(pattern.match(path) == nil, "\(path)") }
  }

  @Test func `O1†: ** is not nothing, and * within a component is refused by name where it was dead`() throws {
    #expect(try PathPattern("test/**").match("test") == nil)
    for dead in ["a/**/b", "statuses/*.json", "a//b", "users?page=1", "../users"] {
      let error = #expect(throws: RequestError.self, "\(dead)") { try PathPattern(dead) }
      #expect(error?.kind == .invalidRoute)
    }
  }

  @Test func `O1†: the base URL itself is matched by ** alone, by / and by an empty pattern`() throws {
    for pattern in ["**", "/", ""] { #expect(try PathPattern(pattern).match("/") != nil, "\(pattern)") }
    for pattern in ["*", "#", "{name}"] { #expect(try PathPattern(pattern).match("/") == nil, "\(pattern)") }
  }

  @Test func `O2†: queries and fragments don't count, upper and lower case do, and encoded text is text`() throws {
    #expect(try PathPattern("users/#").match("users/7?page=2#top") != nil)
    #expect(try PathPattern("users/#").match("Users/7") == nil)
    #expect(try PathPattern("straße/*").match("stra%C3%9Fe/a%20b")?.unnamed == ["a b"])
  }
}
