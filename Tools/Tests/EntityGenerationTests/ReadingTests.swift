import Foundation
import Testing

@testable import EntityGeneration

@Suite struct ReadingTests {
  private func error(_ text: String, of file: String = "a.yaml") -> String {
    do {
      let root = try DocumentFiles.node(Data(text.utf8), of: file)
      _ = try Generation(root, file: file, folder: documents)
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test func `a document that is none gets one sentence with its file`() {
    #expect(error("swagger: '2.0'").hasPrefix("a.yaml: This is Swagger 2.0. Convert it to OpenAPI 3 first"))
    #expect(error("openapi: 2.1.0") == "a.yaml: OpenAPI 2.1.0 is not read; 3.0 and 3.1 are.")
    #expect(error("a: 1") == "a.yaml: The key 'openapi' with the version is missing: this is no OpenAPI document.")
    #expect(error("- a") == "a.yaml: An OpenAPI document is an object, and this is an array.")
    #expect(error("") == "a.yaml: The file is empty.")
  }

  @Test func `a later version is read as 3.1, and says so`() throws {
    func open(_ version: String) throws -> [String] {
      let root = try DocumentFiles.node(Data("openapi: \(version)\npaths: {}".utf8), of: "a.yaml")
      return try Generation(root, file: "a.yaml", folder: documents).open
    }
    #expect(try open("3.2.0") == ["a.yaml#/openapi: OpenAPI 3.2.0 is read as 3.1: what it adds is passed over."])
    for version in ["3.0.4", "3.1.1", "'3.0'"] { #expect(try open(version) == []) }
  }

  @Test func `a mistake of the notation gets its line`() {
    #expect(error("a: [1\nb: {\n").hasPrefix("a.yaml: Line 2, column"))
    #expect(error("a: 1\na: 2\n").contains("the key 'a' stands twice"))
    #expect(error("{\"openapi\": }", of: "a.json").hasPrefix("a.json: JSON line 1, column 13"))
    let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    #expect(error("{\"x\": \(deep)}", of: "a.json").hasPrefix("a.json: JSON line 1"))
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["[", "{a: ", "- "])
  func `YAML that is nested too deeply gets a sentence`(opening: String) {
    let text = "openapi: 3.1.0\npaths:\n  " + String(repeating: opening, count: 100_000)
    #expect(error(text).wholeMatch(of: /a\.yaml: Line 3, column [0-9]+: [^:]+\./) != nil, "\(error(text).prefix(200))")
  }

  @Test func `aliases that stand for too many values are refused`() throws {
    let lines = (1..<9).map { "a\($0): &a\($0) [\(Array(repeating: "*a\($0 - 1)", count: 10).joined(separator: ","))]" }
    let text = "a0: &a0 [1,2,3,4,5,6,7,8,9,0]\n" + lines.joined(separator: "\n")
    #expect {
      try Node(yaml: text, of: "bomb.yaml", limit: 10_000)
    } throws: {
      "\($0)" == "bomb.yaml: The file has more than 10000 values, with its aliases written out."
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `aliases that nest too deeply get a sentence`() {
    let lines = ["- &a0 [x]"] + (1..<1_000_000).map { "- &a\($0) [*a\($0 - 1)]" }
    #expect(
      error(lines.joined(separator: "\n"))
        == "a.yaml: Line 512, column 10: more than 512 arrays and objects are nested, with the aliases written out.")
  }

  @Test func `many aliases that do not nest are read`() throws {
    let lines = (0..<2000).map { "a\($0): &a\($0) {x: \($0), y: &y\($0) [1]}\nb\($0): [*a\($0), *y\($0)]" }
    let node = try Node(yaml: lines.joined(separator: "\n"), of: "a", limit: 100_000)
    #expect(node["b1999"] == [["x": 1999, "y": [1]], [1]])
  }

  @Test func `YAML has the values of JSON, and dates and yes are texts`() throws {
    let node = try Node(yaml: "[2026-01-02, yes, null, ~, 1.50, '1', -3, true, 0x1F, 1e3, '']", of: "a", limit: 100)
    #expect(
      node == [
        "2026-01-02", "yes", .null, .null, .number("1.50"), "1", -3, true, "0x1F", .number("1e3"), "",
      ])
  }

  @Test func `a merge key of YAML gives what the object itself lacks`() throws {
    let text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: {<<: [*a, {z: 4}]}\nd: {'<<': 5}"
    let node = try Node(yaml: text, of: "a", limit: 100)
    #expect(node["b"] == ["y": 3, "x": 1])
    #expect(node["c"] == ["x": 1, "y": 2, "z": 4])
    #expect(node["d"] == ["<<": 5])
  }

  @Test(.timeLimit(.minutes(1)))
  func `unions that lead back to themselves end`() throws {
    let branches = Array(repeating: "{$ref: '#/components/schemas/X'}", count: 20).joined(separator: ", ")
    let names = (0..<10).map { "{$ref: '#/components/schemas/U\($0)'}" }.joined(separator: ", ")
    let unions = (0..<10).map { "U\($0): {oneOf: [\(names)]}" }.joined(separator: "\n")
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, x: {$ref: '#/components/schemas/X'}, u: {$ref: '#/components/schemas/U0'}}, example: {id: 1, x: 5, u: {a: 1}}}
      X: {oneOf: [\(branches)]}
      \(unions)
      """)
    #expect(try generation.lines("Thing").dropFirst() == ["var x: JSONValue?", "var u: JSONValue?"])
  }

  @Test(.timeLimit(.minutes(1)))
  func `objects that all link to one another get small examples`() throws {
    let links = (0..<12).map { "l\($0): {$ref: '#/components/schemas/E\($0)'}" }.joined(separator: ", ")
    let entities = (0..<12).map { "E\($0): {properties: {id: {type: integer}, \(links)}}" }.joined(separator: "\n")
    let generation = try thing("Thing: {properties: {id: {type: integer}, \(links)}}\n" + entities)
    #expect(generation.examples.count == 2)
    #expect(generation.examples.allSatisfy { $0.body.text.utf8.count < 200_000 })
  }

  @Test(.timeLimit(.minutes(1)))
  func `a long chain of values is read`() throws {
    let chain = (0..<1500).map {
      "V\($0): {properties: {user_id: {type: integer}, next: {$ref: '#/components/schemas/V\($0 + 1)'}}}"
    }
    let generation = try thing(
      "Thing: {properties: {id: {type: integer}, v: {$ref: '#/components/schemas/V0'}}}\n"
        + chain.joined(separator: "\n") + "\nV1500: {properties: {x: {type: integer}}}")
    #expect(generation.model.structs.count == 1501)
  }

  @Test(.timeLimit(.minutes(1)))
  func `responses that lead to more objects than any API has are refused`() throws {
    let chain = (1...10_000).map {
      "T\($0): {properties: {id: {type: integer}, next: {$ref: '#/components/schemas/T\($0 + 1)'}}}"
    }
    #expect {
      _ = try thing(
        "Thing: {properties: {id: {type: integer}, t: {$ref: '#/components/schemas/T1'}}}\n"
          + chain.joined(separator: "\n"))
    } throws: {
      "\($0)" == "studio.yaml: The responses lead to more than 10000 objects, which is the limit."
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a million nested references get a sentence`() {
    let json = "{\"openapi\": \"3.1.0\", \"paths\": " + String(repeating: "{\"$ref\": ", count: 1_000_000)
    let yaml = "openapi: 3.1.0\npaths: " + String(repeating: "{$ref: ", count: 1_000_000)
    let texts = [(json, "a.json", "a.json: JSON line 1"), (yaml, "a.yaml", "a.yaml: Line 2, column")]
    for (text, file, beginning) in texts {
      let sentence = error(text, of: file)
      #expect(sentence.hasPrefix(beginning) && sentence.count < 500, "\(sentence.prefix(200))")
    }
  }

  /// A document in JSON, which takes a debug build less time than YAML.
  private func document(_ schemas: String) throws -> Generation {
    let content = ##"{"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}"##
    let paths = #"{"/things/{thing_id}": {"get": {"responses": {"200": \#(content)}}}}"#
    let text = #"{"openapi": "3.1.0", "paths": \#(paths), "components": {"schemas": {\#(schemas)}}}"#
    return try Generation(DocumentFiles.node(Data(text.utf8), of: "a.json"), file: "a.json", folder: documents)
  }

  // The work goes by the number of references: a million takes a debug build ten times as long.
  @Test(.timeLimit(.minutes(1)))
  func `a chain of a hundred thousand references ends`() throws {
    let chain = (1..<100_000).map { "\"A\($0)\": {\"$ref\": \"#/components/schemas/A\($0 + 1)\"}" }
    let generation = try document(
      """
      "Thing": {"properties": {"id": {"type": "integer"}, "a": {"$ref": "#/components/schemas/A1"}}},
      \(chain.joined(separator: ",\n"))
      """)
    #expect(try generation.lines("Thing") == ["@UID @Key(\"id\") var uid: Int"])
    #expect(generation.broken.contains { $0.contains("leads on over more than 64 others") })
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["allOf", "oneOf"])
  func `twenty thousand references to one schema are one`(key: String) throws {
    let references = Array(repeating: ##"{"$ref": "#/components/schemas/User"}"##, count: 20_000)
    let generation = try document(
      """
      "User": {"properties": {"id": {"type": "integer"}, "name": {"type": "string"}}},
      "All": {"\(key)": [\(references.joined(separator: ",\n"))]},
      "Thing": {"properties": {"id": {"type": "integer"}, "all": {"$ref": "#/components/schemas/All"}}}
      """)
    #expect(try generation.entity("Thing").properties.map(\.name) == ["uid", "all"])
  }

  @Test func `a reference leads to an element of an array, and to none behind the last`() throws {
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, a: {$ref: '#/components/schemas/All/oneOf/1'}, b: {$ref: '#/components/schemas/All/oneOf/2'}}}
      All: {oneOf: [{type: string}, {type: boolean}]}
      """)
    #expect(try generation.lines("Thing").dropFirst() == ["var a: Bool?"])
    #expect(generation.broken.contains { $0.contains("'#/components/schemas/All/oneOf/2' leads to nothing") })
  }

  @Test func `a file that is too large is not read`() throws {
    let scratch = try Scratch()
    try scratch.write("openapi: 3.0.0", to: "a.yaml")
    let files = DocumentFiles(root: scratch.url, limits: .init(file: 10))
    #expect { try files.node(at: "a.yaml") } throws: {
      "\($0)".hasPrefix("a.yaml: The file has 0 MiB, and the limit is")
    }
    // It takes no room on the disk.
    try Data().write(to: scratch.url.appending(path: "b.yaml"))
    let large = try FileHandle(forWritingTo: scratch.url.appending(path: "b.yaml"))
    try large.truncate(atOffset: 100 << 20)
    try large.close()
    #expect { try DocumentFiles(root: scratch.url).node(at: "b.yaml") } throws: {
      "\($0)" == "b.yaml: The file has 100 MiB, and the limit is 64."
    }
    let second = DocumentFiles(root: scratch.url, limits: .init(total: 20), alreadyRead: 10)
    #expect { try second.node(at: "a.yaml") } throws: { "\($0)".hasPrefix("a.yaml: The files have more than") }
  }

  @Test func `references lead to files, and not out of the folder or to the network`() throws {
    let scratch = try Scratch()
    try scratch.write(
      """
      openapi: 3.0.3
      paths:
        /users: {$ref: 'paths/users.yml'}
        /out: {get: {responses: {'200': {$ref: '../secret.yml'}}}}
        /net: {get: {responses: {'200': {$ref: 'https://example.com/a.yml#/b'}}}}
      """, to: "api.yaml")
    try scratch.write(
      """
      get:
        responses:
          '200': {content: {application/json: {schema: {type: array, items: {$ref: ../models/user.yml}}}}}
      """, to: "paths/users.yml")
    try scratch.write(
      "type: object\nproperties: {id: {type: integer}, team: {$ref: 'all.yml#/Team'}}", to: "models/user.yml")
    try scratch.write("Team: {type: object, properties: {id: {type: integer}}}", to: "models/all.yml")
    let generation = try Source.document(scratch.url.appending(path: "api.yaml"))
    #expect(generation.model.entities.map(\.name) == ["Team", "User"])
    #expect(try generation.lines("User") == ["@UID @Key(\"id\") var uid: Int", "var team: Team?"])
    #expect(generation.broken.contains { $0.contains("outside of the document's folder") })
    #expect(generation.broken.contains { $0.contains("leads to the network, which is never asked") })
  }

  @Test func `a link leads to its file, whose folder has what the file refers to`() throws {
    let scratch = try Scratch()
    try scratch.write(
      """
      openapi: 3.0.3
      paths:
        /users: {get: {responses: {'200': {$ref: 'answers.yml#/Users'}}}}
      """, to: "documents/api.yaml")
    try scratch.write(
      """
      Users: {content: {application/json: {schema: {type: array, items: {$ref: '#/User'}}}}}
      User: {type: object, properties: {id: {type: integer}}}
      """, to: "documents/answers.yml")
    try scratch.write("[{\"id\": 1}]", to: "documents/users.json")
    try scratch.write(
      #"{"log": {"entries": [{"request": {"method": "GET", "url": "https://a.example/users"}, "#
        + #""response": {"status": 200, "content": {"mimeType": "application/json", "text": "[{\"id\": 1}]"}}}]}}"#,
      to: "documents/users.har")
    try scratch.write("", to: "links/empty")
    for name in ["api.yaml", "users.json", "users.har"] {
      try FileManager.default.createSymbolicLink(
        at: scratch.url.appending(path: "links/\(name)"),
        withDestinationURL: scratch.url.appending(path: "documents/\(name)"))
    }
    let sources: [(name: String, at: String?)] = [
      ("api.yaml", nil), ("users.json", "GET:/users"), ("users.har", nil),
    ]
    for (name, at) in sources {
      let generation = try Source.read(
        ["links/\(name)"], at: at, in: scratch.url, settings: Settings(), former: nil)
      #expect(generation.model.entities.map(\.name) == ["User"], "\(name)")
      #expect(generation.broken == [])
    }
  }

  @Test func `what is no regular file is called what it is`() throws {
    let scratch = try Scratch()
    try scratch.write("openapi: 3.1.0\npaths: {/a: {$ref: folder}}", to: "a.yaml")
    try scratch.write("", to: "folder/empty")
    func error(_ path: String, at: String? = nil) -> String {
      do {
        _ = try Source.read([path], at: at, in: scratch.url, settings: Settings(), former: nil)
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    for at in [nil, "GET:/users"] {
      #expect(error("none.yaml", at: at) == "none.yaml: There is no such file.")
      #expect(error("folder", at: at) == "folder: This is a folder, and no document.")
      #expect(
        error("/dev/null", at: at) == "null: This is a pipe or a device, which a later run could not read again. "
          + "Save the document in a file.")
    }
    let generation = try Source.document(scratch.url.appending(path: "a.yaml"))
    #expect(generation.broken.contains { $0.hasSuffix("'folder' can't be read. This is no regular file.") })
  }

  @Test func `a document that is broken in places is generated, and says where`() throws {
    let generation = try generate(
      """
      paths:
        users: {}
        /x: 5
        /users:
          get:
            parameters: 7
            responses:
              '200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}
          post: nonsense
        /gone: {get: {responses: {'200': {$ref: '#/components/responses/None'}}}}
      components:
        schemas:
          User:
            required: 3
            properties:
              id: {type: integer}
              name: {type: [string, 7]}
              bad: 5
              lost: {$ref: '#/components/schemas/Lost'}
      """)
    #expect(try generation.lines("User") == ["@UID @Key(\"id\") var uid: Int", "var name: String?"])
    #expect(
      generation.broken == [
        "studio.yaml#/paths/users: A path begins with a slash; it was left out.",
        "studio.yaml#/paths/~1x: A path is an object; it was left out.",
        "studio.yaml#/paths/~1users/post: An operation is an object; it was left out.",
        "studio.yaml#/paths/~1gone/get/responses/200: '#/components/responses/None' leads to nothing.",
        "studio.yaml#/components/schemas/User/properties/bad: A property is a schema; it was left out.",
        "studio.yaml#/components/schemas/User/properties/lost: '#/components/schemas/Lost' leads to nothing.",
        "studio.yaml#/components/schemas/User/properties/lost: The property has no schema that can be read; it was left out.",
      ])
  }

  @Test func `cycles and endless chains of references end`() throws {
    let generation = try thing(
      """
      Thing:
        allOf:
          - $ref: '#/components/schemas/Thing'
          - properties: {id: {type: integer}, a: {$ref: '#/components/schemas/A'}, own: {$ref: '#/components/schemas/Thing'}}
      A: {$ref: '#/components/schemas/B'}
      B: {$ref: '#/components/schemas/A'}
      """)
    #expect(try generation.lines("Thing") == ["@UID @Key(\"id\") var uid: Int", "var own: Thing?"])
    #expect(generation.broken.contains { $0.contains("leads back to itself") })
    let chain = (0..<200).map { "A\($0): {$ref: '#/components/schemas/A\($0 + 1)'}" }.joined(separator: "\n")
    let long = try thing("Thing: {properties: {id: {type: integer}, a: {$ref: '#/components/schemas/A0'}}}\n" + chain)
    #expect(long.broken.contains { $0.contains("leads on over more than 64 others") })
  }

  @Test func `parts that double at each level are read once`() throws {
    let levels = (0..<300).map { level in
      "A\(level): {allOf: [{$ref: '#/components/schemas/A\(level + 1)'}, {$ref: '#/components/schemas/A\(level + 1)'}]}"
    }
    let last = "A300: {properties: {id: {type: integer}}}"
    let generation = try thing(
      "Thing: {$ref: '#/components/schemas/A0'}\n" + levels.joined(separator: "\n") + "\n" + last)
    #expect(generation.model.entities.count == 1)
  }
}
