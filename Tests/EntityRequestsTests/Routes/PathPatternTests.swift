import EntityClient
import Foundation
import Testing

/// Patterns of paths: which paths they match, and which patterns are refused.
@Suite struct PathPatternTests {
  @Test func `Case 4: a text matches its own path, and neither the beginning nor the end of it nor more`() throws {
    let pattern = try PathPattern("test/things")
    #expect(pattern.match("test/things") == [:])
    for path in ["test", "things", "test/things/thingys", "", "things/test", "Test/things", "testthings"] {
      #expect(pattern.match(path) == nil, "\(path)")
    }
  }

  /// As uids are told apart, and as servers do.
  @Test func `accented letters are told apart by their bytes`() throws {
    let pattern = try PathPattern("caf%C3%A9")
    #expect(pattern.match("caf%C3%A9") != nil)
    #expect(pattern.match("cafe%CC%81") == nil)
  }

  @Test func `Cases 5 and 15: # is one component of ASCII digits, of any length`() throws {
    let pattern = try PathPattern("test/#")
    #expect(pattern.match("test/42") == PathParameters(unnamed: [42]))
    #expect(pattern.match("test/" + String(repeating: "9", count: 400)) != nil)
    for path in ["test/things", "test/foo", "test", "test/4/2", "test/-1", "test/4.2", "test/٤٢", "test/4a", "test/"] {
      #expect(pattern.match(path) == nil, "\(path)")
    }
  }

  @Test func `Cases 6 and 15: * is one component`() throws {
    let pattern = try PathPattern("test/*")
    #expect(pattern.match("test/whatever42") == PathParameters(unnamed: ["whatever42"]))
    #expect(pattern.match("test/foo42") != nil)
    #expect(pattern.match("test/whatever/42") == nil)
    #expect(pattern.match("test") == nil)
    // No path could be made of these again.
    #expect(pattern.match("test//x") == nil)
    #expect(pattern.match("test/%2E%2E") == nil)
  }

  @Test func `Case 7: ** is one component or more, so test/** is not for test`() throws {
    let pattern = try PathPattern("test2/**")
    #expect(pattern.match("test2/a") == PathParameters(rest: ["a"]))
    #expect(pattern.match("test2/a/b") == PathParameters(rest: ["a", "b"]))
    #expect(pattern.match("test2/a//b/../c") == PathParameters(rest: ["a", "", "b", "..", "c"]))
    #expect(pattern.match("test2") == nil)
    #expect(pattern.match("test2/") == nil)
    #expect(pattern.match("test/a") == nil)
    #expect(try PathPattern("**").match("") == [:])
    #expect(try PathPattern("**").match("a/b") == PathParameters(rest: ["a", "b"]))
  }

  @Test func `Case 13: slashes at the ends of a pattern and of a path mean nothing`() throws {
    for pattern in ["test", "/test", "test/", "/test/"] {
      for path in ["test", "/test", "test/", "/test/"] { #expect(try PathPattern(pattern).match(path) == [:]) }
    }
    for pattern in ["", "/"] {
      for path in ["", "/"] { #expect(try PathPattern(pattern).match(path) == [:]) }
      #expect(try PathPattern(pattern).match("test") == nil)
    }
    for pattern in ["*", "#", "{name}"] { #expect(try PathPattern(pattern).match("/") == nil) }
  }

  @Test func `names are parameters`() throws {
    let pattern = try PathPattern("repos/{owner}/*/issues/{number:#}/#/**")
    let parameters = try #require(pattern.match("repos/ada/engine/issues/7/1843/notes/g"))
    #expect(parameters["owner"] == "ada")
    #expect(parameters["number"] == "7")
    #expect(parameters["other"] == nil)
    #expect(parameters.unnamed == ["engine", "1843"])
    #expect(parameters.rest == ["notes", "g"])
    #expect(pattern.match("repos/ada/engine/issues/x/1843/notes") == nil)
  }

  @Test func `Defect D2: %2F separates no components`() throws {
    #expect(try PathPattern("users/*").match("users/a%2Fb") == PathParameters(unnamed: ["a/b"]))
    #expect(try PathPattern("users/*/*").match("users/a%2Fb") == nil)
    #expect(try PathPattern("users/a/b").match("users/a%2Fb") == nil)
    #expect(try PathPattern("users/a%2fb").match("users/a%2Fb") == [:])
  }

  @Test func `components are compared decoded`() throws {
    #expect(try PathPattern("müller/a b").match("m%C3%BCller/a%20b") == [:])
    #expect(try PathPattern("m%C3%BCller").match("müller") == [:])
    #expect(try PathPattern("%2A/%23/%3F%7B%7D%25").match("*/%23/%3F{}%25") == [:])
    #expect(try PathPattern("%2A").match("x") == nil)
    // A slash is one also where a combining mark follows, which makes both one character.
    #expect(try PathPattern("a/*").match("a/\u{301}b") == PathParameters(unnamed: ["\u{301}b"]))
    #expect(try PathPattern("a/\u{301}b").match("a/%CC%81b") == [:])
    // Neither is percent-encoded UTF-8.
    #expect(try PathPattern("*/*").match("100%/%FF") == PathParameters(unnamed: ["100%", "%FF"]))
  }

  @Test(
    arguments: [
      ("issues/{uid}.json", "issues/7.json", ["uid": "7"]),
      ("issues/{uid}.json", "issues/7.json.json", ["uid": "7.json"]),
      ("issues/{uid}.json", "issues/.json", nil), ("issues/{uid}.json", "issues/7", nil),
      ("issues/{uid:#}.json", "issues/x.json", nil), ("Users({uid})", "Users(7)", ["uid": "7"]),
      ("Users({uid})", "Users%287%29", ["uid": "7"]), ("Users({uid})", "Users()", nil),
      ("Users('{uid}')", "Users('O%27%27Neil%2F')", ["uid": "O'Neil/"]), ("Users('{uid}')", "Users('O'Neil')", nil),
      ("Users('{uid}')", "Users('a''')", ["uid": "a'"]), ("Users('{uid}')", "Users('')", nil),
      ("O(a='{a}',b='{b}')", "O(a='x'',b=''y',b='z')", ["a": "x',b='y", "b": "z"]),
      ("O(a={a},b={b})", "O(a=1,b=2)", ["a": "1", "b": "2"]), ("v{a}-{b}", "v1-2-3", ["a": "1", "b": "2-3"]),
      ("{a}.{b}", "x.", nil), ("{a}.{b}", ".x", nil),
    ] as [(String, String, [String: String]?)])
  func `texts stand around parameters`(_ text: String, _ path: String, _ values: [String: String]?) throws {
    #expect(try PathPattern(text).match(path)?.named == values)
  }

  @Test func `values between texts are encoded and checked`() throws {
    #expect(try PathPattern("issues/{uid}.json").path(["uid": "a/b.c?"]) == "issues/a%2Fb.c%3F.json")
    #expect(try PathPattern("Users('{uid}')").path(["uid": "O'N"]) == "Users('O%27%27N')")
    #expect(try PathPattern("O(a={a},b={b:#})/").path(["a": "x,b=1)", "b": 2]) == "O(a=x%2Cb%3D1%29,b=2)/")
    for values in [[:], ["uid": ""], ["uid": "."], ["uid": ".."], ["uid": "1", "x": "2"]] as [PathParameters] {
      #expect(throws: RequestError.self) { try PathPattern("{uid}.json").path(values) }
    }
    #expect(throws: RequestError.self) { try PathPattern("a{n:#}").path(["n": "x"]) }
    // A value between dots is no dot segment either.
    #expect(throws: RequestError.self) { try PathPattern("%2E{a}/x").path(["a": "./"]) }
  }

  @Test func `query and fragment are not looked at`() throws {
    let pattern = try PathPattern("users/*")
    #expect(pattern.match("users/42?page=1/2") == PathParameters(unnamed: ["42"]))
    #expect(pattern.match("users/42#part/2") == PathParameters(unnamed: ["42"]))
    #expect(pattern.match("users?/42") == nil)
  }

  @Test(
    arguments: [
      ("a/**/b", "component 2, '**': '**' can only be the last component"),
      ("**/", nil), ("**/**", "'**' can only be the last"),
      ("a//b", "component 2, '': it is empty"), ("//a", "it is empty"), ("a//", "it is empty"), ("//", "it is empty"),
      ("https://h/a", "it is empty"),
      ("users?page=1", "a pattern has no query; write %3F"),
      ("./a", "dot segment"), ("a/..", "dot segment"), ("a/%2e%2E/b", "dot segment"),
      ("*.json", "'*' stands for a whole component; write %2A"), ("a/b**", "'*' stands for a whole component"),
      ("***", "'*' stands for a whole component"), ("users#top", "'#' stands for a whole component; write %23"),
      ("a/{b", "a brace has no counterpart"), ("{a}}b", "a brace has no counterpart"),
      ("a/}", "a brace has no counterpart"), ("{}", "no name"), ("{:#}", "no name"), ("{}.json", "no name"),
      ("{a:*}", "behind the colon"), ("{a:}", "behind the colon"), ("{a:#:}", "behind the colon"),
      ("{{a}}", "a brace has no counterpart"), ("{a b}", "a name has no"), ("{*}", "a name has no"),
      ("{a}{b}", "between two parameters stands a text"), ("{a}*", "'*' stands for a whole component"),
      ("{a}.{a}", "two parameters with the name 'a'"), ("{a}?", "a pattern has no query"),
      ("{id}/x/{id:#}", "two parameters with the name 'id'"),
      ("100%", "no percent-encoded UTF-8; write %25"), ("%zz", "no percent-encoded"), ("%FF", "no percent-encoded"),
    ] as [(String, String?)])
  func `Defect D2: a pattern that no path matches, or that can be misread, is refused, and the error says why`(
    _ text: String, _ reason: String?
  ) throws {
    guard let reason else {
      #expect(throws: Never.self) { try PathPattern(text) }
      return
    }
    let error = try #require(throws: RequestError.self) { try PathPattern(text) }
    #expect(error.kind == .invalidRoute)
    #expect(error.message.contains("'\(text)'"))
    #expect(error.message.contains(reason), "\(error.message)")
  }

  @Test(arguments: [
    "", "/", "users", "/users/", "a%20b/m%C3%BCller/items:batch/@me", "{uid}/x/{n:#}/#/*/**", "%2A/%7Ba%7D/%25/%2F",
    "a/{uid}.json", "Users('{uid}')/x", "Orders(OrderID={order},Line={line:#})", "%7B{a}%7D",
  ])
  func `the description is the pattern`(_ text: String) throws {
    let pattern = try PathPattern(text)
    #expect(pattern.description == text)
    #expect(try PathPattern(pattern.description) == pattern)
  }

  @Test func `patterns are equal that match and make the same`() throws {
    #expect(try PathPattern("a b/{x}") == PathPattern("a%20b/{x}"))
    #expect(try PathPattern("a/{x}") != PathPattern("a/{y}"))
    #expect(try PathPattern("a/{x}") != PathPattern("a/{x:#}"))
    #expect(try PathPattern("a") != PathPattern("a/"))
  }
}
