import EntityClient
import Testing

/// Paths: Overcoat's matcher (cases 1-12) and Sculptor's (13-15), as far as one pattern shows them.
@Suite struct MatcherCases {
  @Test("Case 4: a text matches its own path, and neither a part of it nor more")
  func texts() throws {
    let pattern = try PathPattern("test/things")
    for path in ["test", "things", "test/things/thingys"] { #expect(pattern.match(path) == nil, "\(path)") }
    #expect(pattern.match("test/things") != nil)
  }

  @Test("Case 5: # is a number")
  func numbers() throws {
    let pattern = try PathPattern("test/#")
    #expect(pattern.match("test/42")?.unnamed == ["42"])
    #expect(pattern.match("test/things") == nil)
  }

  @Test("Case 6: * is one component")
  func oneComponent() throws {
    let pattern = try PathPattern("test/*")
    #expect(pattern.match("test/whatever42")?.unnamed == ["whatever42"])
    #expect(pattern.match("test/whatever/42") == nil)
  }

  @Test("Case 7: ** is one component or more")
  func theRest() throws {
    let pattern = try PathPattern("test2/**")
    #expect(pattern.match("test2/one")?.rest == ["one"])
    #expect(pattern.match("test2/one/two")?.rest == ["one", "two"])
  }

  @Test("Case 13: slashes at the ends mean nothing", arguments: ["test", "/test", "test/"])
  func slashes(_ path: String) throws {
    for pattern in ["/test", "test", "test/"] { #expect(try PathPattern(pattern).match(path) != nil, "\(pattern)") }
  }

  @Test("Case 15: * takes what # refuses")
  func textsAndNumbers() throws {
    #expect(try PathPattern("test/*").match("test/foo42") != nil)
    #expect(try PathPattern("test/#").match("test/foo") == nil)
  }

  @Test("O1†: only ASCII digits are a number, of any length")
  func digits() throws {
    let pattern = try PathPattern("test/#")
    #expect(pattern.match("test/" + String(repeating: "9", count: 100)) != nil)
    for path in ["test/٤٢", "test/-1", "test/4.2", "test/"] { #expect(pattern.match(path) == nil, "\(path)") }
  }

  @Test("O1†: ** is not nothing, and * within a component is refused by name where it was dead")
  func wildcardsThatAreNone() throws {
    #expect(try PathPattern("test/**").match("test") == nil)
    for dead in ["a/**/b", "statuses/*.json", "a//b", "users?page=1", "../users"] {
      let error = #expect(throws: RequestError.self, "\(dead)") { try PathPattern(dead) }
      #expect(error?.kind == .invalidRoute)
    }
  }

  @Test("O1†: the base URL itself is matched by ** alone, by / and by an empty pattern")
  func theRoot() throws {
    for pattern in ["**", "/", ""] { #expect(try PathPattern(pattern).match("/") != nil, "\(pattern)") }
    for pattern in ["*", "#", "{name}"] { #expect(try PathPattern(pattern).match("/") == nil, "\(pattern)") }
  }

  @Test("O2†: queries and fragments don't count, upper and lower case do, and encoded text is text")
  func paths() throws {
    #expect(try PathPattern("users/#").match("users/7?page=2#top") != nil)
    #expect(try PathPattern("users/#").match("Users/7") == nil)
    #expect(try PathPattern("straße/*").match("stra%C3%9Fe/a%20b")?.unnamed == ["a b"])
  }
}
