import Foundation
import Testing

@testable import EntityGeneration

@Suite struct NameTests {
  @Test(arguments: [
    ("created_at", "createdAt"), ("HTMLUrl", "htmlURL"), ("user_ids", "userIDs"), ("X-Request-Id", "xRequestID"),
    ("+1", "plus1"), ("-1", "minus1"), ("GMT+1", "gmtPlus1"), ("GMT-5", "gmtMinus5"), ("2fa", "n2fa"), ("", ""),
    ("avatar[url]", "avatarURL"), ("_hidden", "hidden"),
  ])
  func `a name becomes Swift's`(name: String, swift: String) {
    #expect(Words.lowerCamel(name) == swift)
  }

  @Test func `members of entities, words of Swift and equal names give way`() throws {
    let generation = try thing(
      """
      Thing:
        properties:
          id: {type: integer}
          class: {type: string}
          isDeleted: {type: boolean}
          init: {type: string}
          uid: {type: string}
          first_name: {type: string}
          firstName: {type: string}
          "a.b": {type: string}
          "": {type: string}
          "+": {type: string}
      """)
    #expect(
      try generation.lines("Thing").dropFirst() == [
        "var `class`: String?", "@Key(\"isDeleted\") var isDeletedValue: Bool?",
        "@Key(\"init\") var initValue: String?",
        "@Key(\"uid\") var uidValue: String?", "var firstName: String?",
        "@Key(\"firstName\") var firstNameValue: String?",
        "@Key(\"a\\\\.b\") var aB: String?", "@Key(\"+\") var unnamed: String?",
      ])
  }

  @Test func `a type whose name is taken gets the name of the API in front`() throws {
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, task: {$ref: '#/components/schemas/Task'}, page: {$ref: '#/components/schemas/Page'}}}
      Task: {properties: {id: {type: integer}}}
      Page: {properties: {n: {type: integer}}}
      """)
    #expect(generation.model.entities.map(\.name) == ["StudioTask", "Thing"])
    #expect(generation.model.structs.map(\.name) == ["StudioPage"])
  }

  @Test func `no type has the name of one that the generated code or its reader names`() throws {
    let generation = try thing(
      """
      Thing:
        properties:
          id: {type: integer}
          a: {$ref: '#/components/schemas/EntityContext'}
          b: {$ref: '#/components/schemas/JSONValueDecoder'}
          c: {$ref: '#/components/schemas/CommandLine'}
          d: {$ref: '#/components/schemas/StubAdapter'}
      EntityContext: {properties: {id: {type: integer}}}
      JSONValueDecoder: {properties: {id: {type: integer}}}
      CommandLine: {properties: {id: {type: integer}}}
      StubAdapter: {properties: {id: {type: integer}}}
      """)
    #expect(
      generation.model.entities.map(\.name)
        == ["StudioCommandLine", "StudioEntityContext", "StudioJSONValueDecoder", "StudioStubAdapter", "Thing"])
  }

  @Test func `all public types of the package are reserved`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/api")
    var names: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        // A type, as in `Column: struct Column<E, Value>`, or a macro, with its parameters in the name.
        let declaration = line.firstMatch(
          of: /^([A-Za-z]\w*)(?:\(.*?\))?: .*?\b(?:struct|class|enum|protocol|actor|typealias|macro) (\w+)/)
        if let (_, name, declared) = declaration?.output, name == declared { names.insert(String(name)) }
      }
    }
    #expect(names.count > 200 && names.subtracting(TypeNames.reserved).sorted() == [])
  }

  @Test func `cases have names of their own, and raw values where these differ`() {
    let cases = SchemaBuilder.cases(["open", "in-review", "A", "a", "", "none", "ж"])
    #expect(cases.map(\.name) == ["open", "inReview", "a", "a2", "empty", "noneValue", "other"])
    #expect(cases.map(\.rawValue) == ["open", "in-review", "A", "a", "", "none", "ж"])
  }

  @Test func `most keys decide the style`() throws {
    let camel = try thing(
      "Thing: {properties: {id: {type: integer}, createdAt: {type: string}, fullName: {type: string}}}")
    #expect(camel.model.keyStyle == "asWritten")
    #expect(try camel.lines("Thing").dropFirst() == ["var createdAt: String?", "var fullName: String?"])
  }

  @Test func `a literal holds any text`() {
    #expect(SwiftText.literal("a\"\\(b)\n\u{0}\u{2028}é") == "\"a\\\"\\\\(b)\\n\\u{0}\\u{2028}é\"")
  }

  @Test func `a package depends on the version that the README names`() throws {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../README.md")
    let line = ".package(url: \"\(PackageFiles.repository)\", from: \"\(PackageFiles.version)\")"
    #expect(try String(contentsOf: readme, encoding: .utf8).contains(line))
    let manifest = try #require(
      PackageFiles(
        name: "Studio", model: try thing("Thing: {properties: {id: {type: integer}}}").model,
        library: PackageFiles.repository, hasTests: true
      ).files.first)
    #expect(manifest.text.contains("    \(line)\n"))
  }

  @Test func `a key is made of a name as the library makes it`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    func lines(_ path: String) throws -> [String] {
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .drop { $0 != "let characters = Array(name)" }.prefix { $0 != "return key" }
    }
    let library = try lines("Sources/EntityStore/Schema/Models/KeyStyle.swift")
    #expect(library.count > 5)
    #expect(try lines("Tools/Sources/EntityGeneration/Names/SwiftNames.swift") == library)
  }

  @Test func `a property has no name of a member of every entity`() throws {
    let api = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../docs/api/EntityStore.txt")
    let members = try String(contentsOf: api, encoding: .utf8).split(separator: "\n").compactMap {
      $0.wholeMatch(of: /ManagedEntity\.([A-Za-z]+): var .*/).map { String($0.1) }
    }
    #expect(members.count > 10)
    #expect(members.filter { !SwiftNames.members.contains($0) } == [])
  }

  @Test func `a chosen name that is taken or Swift's is an error`() throws {
    let schemas = """
      Thing: {properties: {id: {type: integer}, title: {type: string}, own: {$ref: '#/components/schemas/User'}, a: {$ref: '#/components/schemas/Account'}}}
      User: {properties: {id: {type: integer}}}
      Account: {properties: {id: {type: integer}}}
      """
    func error(_ names: [String: String]) -> String {
      var settings = Settings()
      settings.names = names
      do { return "\(try thing(schemas, settings).model.entities.map(\.name))" } catch { return "\(error)" }
    }
    #expect(error(["Account": "Konto"]) == "[\"Konto\", \"Thing\", \"User\"]")
    #expect(
      error(["Account": "User"]) == "entity-gen.json: 'Account' can't be called 'User': another type has that name.")
    #expect(error(["Account": "Kinds"]).hasSuffix("another type has that name."))
    #expect(error(["Account": "String"]).hasSuffix("Swift, Foundation or EntityClient has that name."))
    #expect(
      error(["Thing.own": "title"])
        == "entity-gen.json: 'Thing.own' can't be called 'title': another property has that name.")
    #expect(error(["Thing.title": "hash"]).hasSuffix("'hash': each entity has a member of that name."))
    #expect(error(["Thing.title": "Title"]).hasSuffix("'Title': the name of a property begins with a small letter."))
    #expect(error(["Thing.title": "titleURLs", "A.B": "B"]) == "[\"Account\", \"Thing\", \"User\"]")
  }

  @Test func `a chosen name may be written otherwise than the tool would`() throws {
    var settings = Settings()
    settings.names = ["Thing.price": "priceEUR", "Api.Models.State": "State"]
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, price: {type: number}, state: {$ref: '#/components/schemas/Api.Models.State'}}}
      Api.Models.State: {type: string, enum: [open]}
      """, settings)
    #expect(
      try generation.lines("Thing").dropFirst() == ["@Key(\"price\") var priceEUR: Double?", "var state: State?"])
    #expect(generation.open == [])
  }

  @Test func `a person's name of a property is that of the requests, too`() throws {
    var settings = Settings()
    settings.names = ["Task.title": "headline"]
    let generation = try Source.document(documents.appending(path: "studio.yaml"), settings: settings)
    #expect(try generation.lines("StudioTask")[1] == "@Key(\"title\") var headline: String")
    #expect(try generation.requests("StudioTask").writable.contains("headline"))
    #expect(generation.open.allSatisfy { !$0.hasPrefix("entity-gen.json") })
  }

  @Test func `a setting that nothing in the document is about is named`() throws {
    var settings = Settings()
    settings.choices = ["Thing.sise": "Decimal?", "Thing.size": "Decimal?", "Thing.uid": "code"]
    settings.names = ["Thin": "Other"]
    let generation = try thing("Thing: {properties: {id: {type: integer}, size: {type: string}}}", settings)
    #expect(
      generation.open == [
        "entity-gen.json: 'choices' has 'Thing.sise', which the document has nothing for.",
        "entity-gen.json: 'choices' has 'Thing.uid', which the document has nothing for.",
        "entity-gen.json: 'names' has 'Thin', which the document has nothing for.",
      ])
  }
}
