import Testing

@testable import EntityGeneration

@Suite struct KindTests {
  private let file = "File: {properties: {type: {const: file}, id: {type: string}, size: {type: integer}}}"
  private let folder = "Folder: {properties: {type: {const: folder}, id: {type: string}}}"

  private func generate(
    _ items: String, _ schemas: String, paths: String = "", _ settings: Settings = Settings()
  ) throws -> Generation {
    try EntityGenerationTests.generate(
      """
      paths:
        /folders/{folder_id}/items: {get: {parameters: [{name: limit, in: query, schema: {type: integer}}], responses: {'200': {content: {application/json: {schema: {properties: {entries: {type: array, items: \(items)}, total_count: {type: integer}}}}}}}}}
        \(paths)
      components: {schemas: {\(schemas)}}
      """, settings)
  }

  private func union(_ names: String..., discriminator: String = "") -> String {
    let branches = names.map { "{$ref: '#/components/schemas/\($0)'}" }.joined(separator: ", ")
    return "{oneOf: [\(branches)]\(discriminator.isEmpty ? "" : ", discriminator: \(discriminator)")}"
  }

  @Test func `a list of several kinds of objects is a function that reads each as its entity`() throws {
    let generation = try generate(union("File", "Folder"), "\(file), \(folder)")
    #expect(generation.model.entities.map(\.name) == ["File", "Folder"])
    let text = SchemaRequestsFile(model: generation.model, source: "x").text
    #expect(
      text.contains(
        """
          /// `GET /folders/{folder_id}/items`
          static func foldersItems(folderID: String, limit: Int? = nil) async throws -> EntityResponse<EntityDocument> {
            let query: QueryParameters = ["limit": limit]
            let kinds: [String: any ManagedEntity.Type] = ["file": File.self, "folder": Folder.self]
            let parts: [ResponsePart] = [.list(typedBy: "type", kinds, at: "entries")]
            return try await EntityDocument.get(
              "folders/\\(String(pathSegment: folderID))/items", query: query, options: .parts(parts))
          }
        """), "\(text)")
  }

  @Test(arguments: [
    // The values of the mapping come first, then those of the schema, then its name.
    ("{propertyName: type, mapping: {a: '#/components/schemas/File', b: Folder, c: Folder}}", ["a", "b", "c"]),
    ("{propertyName: type}", ["file", "folder"]), ("{propertyName: '@kind'}", ["File", "Folder"]),
    ("", ["file", "folder"]),
  ])
  func `the values that tell objects apart are found`(discriminator: String, values: [String]) throws {
    let generation = try generate(union("File", "Folder", discriminator: discriminator), "\(file), \(folder)")
    let part = try #require(generation.model.requests.first?.parts.first)
    #expect(part.types.map(\.key) == values)
    #expect(part.key == (discriminator.contains("@kind") ? "@kind" : "type"))
    #expect(part.keyPath == "entries")
  }

  @Test(arguments: [
    // Nothing tells them apart, one of them has no uid, and one is no object.
    "File: {properties: {id: {type: string}}}, Folder: {properties: {id: {type: string}}}",
    "File: {properties: {type: {const: file}}}, Folder: {properties: {type: {const: folder}, id: {type: string}}}",
    "File: {type: string}, Folder: {properties: {type: {const: folder}, id: {type: string}}}",
  ])
  func `a list of objects that can't be told apart is left to a person`(schemas: String) throws {
    let generation = try generate(union("File", "Folder"), schemas)
    #expect(generation.model.requests == [])
    #expect(generation.model.entities == [])
  }

  @Test func `branches that are variants of one entity are that entity`() throws {
    let generation = try generate(
      union("UserMini", "UserFull"),
      "UserMini: {properties: {type: {const: mini}, id: {type: integer}}}, UserFull: {properties: {type: {const: full}, id: {type: integer}}}"
    )
    #expect(generation.model.entities.map(\.name) == ["User"])
    #expect(try generation.requests("User").calls.map(\.kind) == [.list])
  }

  @Test func `a list of several kinds stands beside one of an entity`() throws {
    let users = "{type: array, items: {$ref: '#/components/schemas/User'}}"
    let items = "{type: array, items: \(union("File", "Folder"))}"
    let generation = try generate(
      "{type: string}", "\(file), \(folder), User: {properties: {id: {type: integer}}}",
      paths: """
        /users: {get: {responses: {'200': {content: {application/json: {schema: \(users)}}}}}}
          /search: {get: {responses: {'200': {content: {application/json: {schema: {properties: {items: \(items), users: \(users)}}}}}}}}
        """)
    let call = try generation.call("GET /search", of: "User")
    #expect(call.envelope == "users")
    #expect(call.parts.map(\.keyPath) == ["items"])
    #expect(call.parts[0].types.map(\.name) == ["File", "Folder"])
  }

  @Test func `lists of entities without requests of their own are a function, too`() throws {
    func list(_ name: String) -> String { "{type: array, items: {$ref: '#/components/schemas/\(name)'}}" }
    let generation = try generate(
      "{type: string}", "\(file), \(folder)",
      paths:
        "/sync: {get: {responses: {'200': {content: {application/json: {schema: {properties: {files: \(list("File")), folders: \(list("Folder"))}}}}}}}}"
    )
    let call = try #require(generation.model.requests.first { $0.name == "sync" })
    #expect(call.parts.map(\.keyPath) == ["files", "folders"])
    #expect(call.envelope == nil)
  }

  @Test func `related objects of JSON:API come with the list, and with an object are passed over`() throws {
    let article = "{$ref: '#/components/schemas/Article'}"
    let included =
      "included: {type: array, items: \(union("Person", "Note"))}, jsonapi: {type: object, properties: {version: {type: string}}}"
    func resource(_ type: String) -> String {
      "{properties: {id: {type: string}, type: {type: string, enum: [\(type)]}, attributes: {properties: {title: {type: string}}}}}"
    }
    let generation = try generate(
      "{type: string}",
      "Article: \(resource("articles")), Person: \(resource("people")), Note: \(resource("notes"))",
      paths: """
        /articles: {get: {responses: {'200': {content: {application/json: {schema: {properties: {data: {type: array, items: \(article)}, \(included)}}}}}}}}
          /articles/{id}: {get: {responses: {'200': {content: {application/json: {schema: {properties: {data: \(article), \(included)}}}}}}}}
        """)
    let requests = try generation.requests("Article")
    #expect(requests.basePath == "articles")
    #expect(requests.listEnvelope == "data")
    #expect(requests.itemEnvelope == "data")
    #expect(requests.calls.map(\.kind) == [.list, .itemByUID])
    #expect(requests.calls[0].parts.map(\.keyPath) == ["included"])
    #expect(requests.calls[0].parts[0].types.map(\.key) == ["people", "notes"])
    #expect(generation.model.entities.map(\.name) == ["Article", "Note", "Person"])
  }

  @Test func `only some entities leave those of the lists that are among them`() throws {
    var settings = Settings()
    settings.only = ["File"]
    let some = try generate(union("File", "Folder"), "\(file), \(folder)", settings).model
    #expect(some.requests.map { $0.parts.map { $0.types.map(\.name) } } == [[["File"]]])
    settings.only = ["User"]
    let none = try generate(
      union("File", "Folder"), "\(file), \(folder), User: {properties: {id: {type: integer}}}",
      paths:
        "/users/{id}: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}}}}",
      settings
    ).model
    #expect(none.requests == [])
  }

  @Test func `the example of a list of several kinds is tested`() throws {
    let generation = try generate(union("File", "Folder"), "\(file), \(folder)")
    var layout = Layout()
    (layout.tests, layout.module) = ("Tests", "Demo")
    let test = try #require(
      generation.files(source: "x", layout: layout).first { $0.path == "Tests/EntityDocumentTests.swift" })
    #expect(
      test.text.contains(
        """
            let kinds: [String: any ManagedEntity.Type] = ["file": File.self, "folder": Folder.self]
            let parts: [ResponsePart] = [.list(typedBy: "type", kinds, at: "entries")]
            try await EntityDocument.upsert(from: body, options: .parts(parts))

        """), "\(test.text)")
  }

  @Test func `a file of requests at no entity is theirs who take it over`() throws {
    let with = try generate(union("File", "Folder"), "\(file), \(folder)").model
    var without = with
    without.requests = []
    let change = try #require(ModelComparison(old: without, new: with, own: ["Requests.swift"]).changes.last)
    #expect(
      "\(change)"
        == "! StudioSchema: `GET /folders/{folder_id}/items` is new. `Requests.swift` is yours: see that it names nothing that is gone."
    )
  }
}
