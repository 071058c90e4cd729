import Testing

@testable import EntityGeneration

@Suite struct RuleTests {
  @Test func `variants with the same uid are one entity, with the properties of all`() throws {
    let generation = try generate(
      """
      paths:
        /users: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/UserCompact'}}}}}}}}
        /users/{id}: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/UserResponse'}}}}}}}
      components:
        schemas:
          UserCompact: {required: [id, name], properties: {id: {type: integer}, name: {type: string}}}
          UserResponse: {required: [id, name, bio], properties: {id: {type: integer}, name: {type: string}, bio: {type: string}}}
          UserRequest: {properties: {id: {type: integer}, password: {type: string}}}
      """)
    #expect(generation.model.entities.map(\.name) == ["User"])
    // A list lacks the bio, so that a row may lack it, too.
    #expect(try generation.lines("User") == ["@UID @Key(\"id\") var uid: Int", "var name: String", "var bio: String?"])
  }

  @Test func `a property whose type differs among variants gets one that reads all`() throws {
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, more: {$ref: '#/components/schemas/ThingFull'}, at: {type: string, format: date}, n: {type: integer}, code: {type: integer}, flag: {type: boolean}, key: {type: string, format: uuid}}}
      ThingFull: {properties: {id: {type: integer}, at: {type: string, format: date-time}, n: {type: number}, code: {type: string}, flag: {type: string}, key: {type: string}}}
      """)
    #expect(
      try generation.lines("Thing").dropFirst(2) == [
        "var at: Date?", "var n: Double?", "var code: String?", "var flag: JSONValue?", "var key: String?",
      ])
  }

  @Test func `variants with other uids are apart`() throws {
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, detail: {$ref: '#/components/schemas/ThingDetail'}, log: {$ref: '#/components/schemas/ThingRequest'}}}
      ThingDetail: {properties: {uuid: {type: string, format: uuid}, size: {type: integer}}}
      ThingRequest: {properties: {id: {type: integer}, body: {type: string}}}
      """)
    #expect(generation.model.entities.map(\.name) == ["Thing", "ThingDetail", "ThingRequest"])
    #expect(try generation.entity("ThingDetail").properties[0].type == "UUID")
  }

  @Test(arguments: [
    ("Thing: {properties: {id: {type: string}}}", "@UID @Key(\"id\") var uid: String"),
    ("Thing: {properties: {gid: {type: string}}}", "@UID @Key(\"gid\") var uid: String"),
    ("Thing: {properties: {thing_id: {type: integer}}}", "@UID @Key(\"thing_id\") var uid: Int"),
    (
      "Thing: {properties: {kind: {type: string}, metadata: {properties: {uid: {type: string}}}}}",
      "@UID @Key(\"metadata.uid\") var uid: String"
    ),
  ])
  func `a uid is found`(schema: String, line: String) throws {
    #expect(try thing(schema).lines("Thing").first == line)
  }

  @Test func `a name is no uid until a person says so`() throws {
    let schema = "Thing: {properties: {name: {type: string}, size: {type: integer}}}"
    let generation = try thing(schema)
    #expect(generation.model.entities.isEmpty)
    #expect(generation.open.contains { $0.contains("\"choices\": {\"Thing.uid\": \"name\"}") })
    var settings = Settings()
    settings.choices = ["Thing.uid": "name"]
    #expect(try thing(schema, settings).lines("Thing") == ["@UID @Key(\"name\") var uid: String", "var size: Int?"])
  }

  @Test func `several keys are a uid together if a person says so`() throws {
    let document = """
      paths:
        /orders/{order_id}/lines: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Line'}}}}}}}}
        /orders/{order_id}/lines/{line_no}:
          get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Line'}}}}}}
          patch: {requestBody: {content: {application/json: {schema: {properties: {article: {type: string}}}}}}, responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Line'}}}}}}
        /notes/{id}: {get: {responses: {'200': {content: {application/json: {schema: {properties: {id: {type: integer}, line_id: {type: integer}}}}}}}}}
      components: {schemas: {Line: {properties: {article: {type: string}, line_no: {type: integer}, order_id: {type: string}}}}}
      """
    // One key alone would make one row of the lines of several orders.
    let plain = try generate(document)
    #expect(plain.model.entities.map(\.name) == ["Note"])
    #expect(plain.open.contains { $0.hasSuffix("\"choices\": {\"Line.uid\": \"order_id, line_no\"}.") })
    var settings = Settings()
    settings.choices = ["Line.uid": "order_id, line_no"]
    let generation = try generate(document, settings)
    #expect(
      try generation.lines("Line") == [
        "@UID @Key(\"order_id\") var orderID: String", "@UID @Key(\"line_no\") var lineNo: Int", "var article: String?",
      ])
    let requests = try generation.requests("Line")
    #expect(requests.objectPath == "orders/{orderID}/lines/{lineNo}")
    #expect(requests.calls.map(\.kind) == [.list, .item, .update])
    #expect(try generation.lines("Note").last == "var lineID: Int?")
    #expect(generation.examples.count == 3)
  }

  @Test func `an object in attributes is flattened`() throws {
    let generation = try thing(
      "Thing: {required: [id, attributes], properties: {id: {type: string}, type: {type: string}, attributes: {properties: {name: {type: string}}}}}"
    )
    #expect(
      try generation.lines("Thing") == [
        "@UID @Key(\"id\") var uid: String", "@Key(\"attributes.name\") var name: String?",
      ])
  }

  @Test func `null makes a property optional in each of its notations`() throws {
    let generation = try thing(
      """
      Thing:
        required: [id, a, b, c, d, e, f]
        properties:
          id: {type: integer}
          a: {type: string}
          b: {type: [string, 'null']}
          c: {type: string, nullable: true}
          d: {anyOf: [{type: string}, {type: 'null'}]}
          e: {oneOf: [{$ref: '#/components/schemas/Other'}, {type: 'null'}]}
          f: {type: string, example: null}
          g: {type: string}
      Other: {properties: {id: {type: integer}}}
      """)
    #expect(
      try generation.lines("Thing").dropFirst() == [
        "var a: String", "var b: String?", "var c: String?", "var d: String?", "var e: Other?", "var f: String?",
        "var g: String?",
      ])
  }

  @Test func `formats become types, and an example is stronger than its format`() throws {
    let generation = try thing(
      """
      Thing:
        required: [id, day, at, both, price, fee, site, key, odd, map, tags, mixed]
        properties:
          id: {type: integer}
          day: {type: string, format: date, example: 2026-01-02}
          at: {type: string, format: date-time}
          both: {type: string, format: date, example: '2026-01-02T10:00:00Z'}
          price: {type: string, example: '12.50'}
          fee: {type: string, format: amount, readOnly: true}
          site: {type: string, format: uri}
          key: {type: string, format: uuid}
          odd: {type: string, format: uuid, example: no uuid}
          map: {type: object, additionalProperties: {type: integer}}
          tags: {type: array, items: {type: string}}
          mixed: {type: array, items: {type: string}, example: [a, null]}
      """)
    #expect(
      try generation.lines("Thing").dropFirst() == [
        "@Transformed(by: DateOnly.self) var day: Date?", "var at: Date?", "var both: Date?", "var price: String",
        "var fee: Decimal?", "var site: URL?", "var key: UUID?", "var odd: String", "var map: JSONObject",
        "var tags: [String]", "var mixed: JSONValue?",
      ])
    let open = try generation.entity("Thing").properties.filter { $0.choose != nil }.map(\.name)
    #expect(open == ["price", "map"])
    #expect(
      generation.broken == [
        "studio.yaml#/components/schemas/Thing/properties/odd: An example is no UUID, so the property is a String."
      ])
  }

  @Test func `a key of an entity's uid is a link, and one by a part of its name is a question`() throws {
    let generation = try thing(
      """
      Thing:
        properties:
          id: {type: integer}
          project_id: {type: integer}
          parent_project_id: {type: integer}
          other_id: {type: integer}
          project_code_id: {type: string}
          projects: {type: array, items: {$ref: '#/components/schemas/Project'}}
      Project: {properties: {id: {type: integer}}}
      """)
    #expect(
      try generation.lines("Thing").dropFirst() == [
        "@Key(\"project_id\") var project: Project?", "var parentProjectID: Int?", "var otherID: Int?",
        "var projectCodeID: String?", "@Relationship(inverse: nil) var projects: [Project]",
      ])
    #expect(
      try generation.entity("Thing").properties[2].choose
        == "is it a link? `@Key(\"parent_project_id\") var parentProject: Project?` makes it one.")
  }

  @Test func `an object without a uid is a struct, and an embedded entity if it leads to one`() throws {
    let generation = try thing(
      """
      Thing:
        properties:
          id: {type: integer}
          place: {$ref: '#/components/schemas/Place'}
          member: {$ref: '#/components/schemas/Member'}
      Place: {properties: {lat: {type: number}, place: {$ref: '#/components/schemas/Place'}, list: {type: array, items: {$ref: '#/components/schemas/Place'}}}}
      Member: {properties: {role: {type: string}, user: {$ref: '#/components/schemas/User'}}}
      User: {properties: {id: {type: integer}}}
      """)
    #expect(generation.model.entities.map(\.name) == ["Member", "Thing", "User"])
    #expect(try generation.entity("Member").requests == nil)
    // A struct can't contain itself, other than in an array.
    #expect(generation.model.structs.map { $0.properties.map(\.type) } == [["Double", "JSONValue", "[Place]"]])
  }

  @Test func `a union of different things is JSON and a question, and one of variants is their entity`() throws {
    let generation = try thing(
      """
      Thing:
        properties:
          id: {type: integer}
          either: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind}}
          choice: {oneOf: [{type: string}, {$ref: '#/components/schemas/A'}]}
          user: {oneOf: [{$ref: '#/components/schemas/UserMini'}, {$ref: '#/components/schemas/UserFull'}]}
      A: {properties: {kind: {type: string}}}
      B: {properties: {kind: {type: string}, x: {type: integer}}}
      UserMini: {properties: {id: {type: integer}}}
      UserFull: {properties: {id: {type: integer}, name: {type: string}}}
      """)
    #expect(
      try generation.lines("Thing").dropFirst() == [
        "var either: JSONValue?", "var choice: JSONValue?", "var user: User?",
      ])
    #expect(try generation.entity("Thing").properties[1].choose == "one of 2 kinds of values, by \"kind\".")
  }

  @Test func `an allOf that only describes is the object itself`() throws {
    let generation = try thing(
      """
      Thing:
        properties:
          id: {type: integer}
          by: {allOf: [{$ref: '#/components/schemas/User'}, {description: Who made it.}]}
          at: {allOf: [{$ref: '#/components/schemas/User'}, {properties: {role: {type: string}}}]}
      User: {properties: {id: {type: integer}}}
      """)
    #expect(try generation.lines("Thing").dropFirst() == ["var by: User?", "var at: User?"])
    #expect(try generation.lines("User") == ["@UID @Key(\"id\") var uid: Int", "var role: String?"])
  }

  @Test func `an enum has each value once`() throws {
    let generation = try thing(
      "Thing: {properties: {id: {type: integer}, state: {type: string, enum: [open, done, open]}}}")
    #expect(generation.model.enums[0].cases.map(\.rawValue) == ["open", "done"])
  }

  @Test func `a chosen type replaces all that the document says`() throws {
    let schema = """
      Thing:
        properties:
          id: {type: integer}
          due: {type: string, format: date}
          users: {type: array, items: {$ref: '#/components/schemas/User'}}
          owner: {type: integer}
      User: {properties: {id: {type: integer}}}
      """
    var settings = Settings()
    settings.choices = ["Thing.due": "String?", "Thing.users": "[String]", "Thing.owner": "User?"]
    let entity = try thing(schema, settings).entity("Thing")
    #expect(
      try thing(schema, settings).lines("Thing").dropFirst() == [
        "var due: String?", "var users: [String]", "var owner: User?",
      ])
    #expect(entity.properties.map(\.role) == [.uid, .attribute, .attribute, .toOne])
  }

  @Test func `a key without a word of its own is a property of a struct, too`() throws {
    let generation = try thing(
      """
      Thing: {properties: {id: {type: integer}, place: {$ref: '#/components/schemas/Place'}}}
      Place: {properties: {'名前': {type: string}}}
      """)
    #expect(generation.model.structs[0].properties == [.init(name: "unnamed", key: "名前", type: "String")])
  }

  @Test func `a description with the line ends of Windows gives its first paragraph`() throws {
    #expect(SchemaBuilder.documentation("One\r\nline.\r\n\r\nMore.") == "One line.")
  }

  @Test func `an entity keeps within the columns of a row`() throws {
    let properties = (0..<200).map { "p\($0): {type: string}" }.joined(separator: ", ")
    let entity = try thing("Thing: {properties: {id: {type: integer}, \(properties)}}").entity("Thing")
    #expect(entity.properties.count == 128)
    #expect(entity.leftOut.count == 73)
  }
}
