import Testing

@testable import EntityGeneration

@Suite struct ValueTests {
  private let object = "{type: object, properties: {open: {type: integer}, done: {type: integer}}}"

  /// The requests of a user, beside which the document has further paths.
  private func generate(_ paths: String, _ schemas: String = "", _ settings: Settings = Settings()) throws -> Generation
  {
    try EntityGenerationTests.generate(
      """
      paths:
        /users: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}}}
        /users/{id}: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}}}}
        \(paths)
      components: {schemas: {User: {properties: {id: {type: integer}, name: {type: string}}}\(schemas)}}
      """, settings)
  }

  private func answer(_ schema: String, _ rest: String = "") -> String {
    "{\(rest)responses: {'200': {content: {application/json: {schema: \(schema)}}}}}"
  }

  @Test(arguments: [
    ("{type: string}", "String", ""), ("{type: [integer, 'null']}", "Int?", ""), ("{type: boolean}", "Bool", ""),
    ("{type: array, items: {type: number}}", "[Double]", ""),
    ("{type: object, properties: {open: {type: integer}}}", "Count", ""),
    ("{type: array, items: {type: object, properties: {open: {type: integer}}}}", "[Count]", ""),
    ("{properties: {data: {properties: {open: {type: integer}}}, status: {type: string}}}", "Count", "data"),
  ])
  func `a response that is a value has a function that returns it`(
    schema: String, type: String, keyPath: String
  ) throws {
    let generation = try generate("/users/count: {get: \(answer(schema))}")
    let call = try generation.call("GET /users/count", of: "User")
    #expect(call.value == type)
    #expect(call.envelope == keyPath)
    #expect(call.resource == "users/count")
    #expect(generation.model.structs.map(\.name) == (type.contains("Count") ? ["Count"] : []))
    #expect(generation.open == [])
  }

  @Test(arguments: [
    // No type is known for it.
    "{}", "{type: object}", "{type: object, additionalProperties: {type: integer}}",
    "{type: array, items: {type: [string, 'null']}}", "{oneOf: [{type: string}, {type: integer}]}",
    // It leads to an entity.
    "{properties: {count: {type: integer}, user: {$ref: '#/components/schemas/User'}, extra: {type: string}}}",
  ])
  func `a response that is no plain value is left to a person`(schema: String) throws {
    let requests = try generate("/users/count: {get: \(answer(schema))}").requests("User")
    #expect(requests.others == ["GET /users/count (its response)"])
  }

  @Test func `a verb behind an object whose response is a value is a function of the object`() throws {
    let body = "requestBody: {content: {application/json: {schema: {properties: {reason: {type: string}}}}}}, "
    let generation = try generate(
      "/users/{id}/block: {post: \(answer("{properties: {status: {type: string}}}", body)), put: \(answer("{type: integer}"))}"
    )
    let call = try generation.call("POST /users/{id}/block", of: "User")
    #expect(call.segments == ["block"])
    #expect(call.parameters.map(\.isInBody) == [true])
    // The class of a user has no `status`: the object must not read the response.
    #expect(call.value == "Block")
    #expect(generation.model.structs.map { $0.properties.map(\.name) } == [["status"]])
    #expect(try generation.lines("User").count == 2)
    #expect(try generation.call("PUT /users/{id}/block", of: "User").value == "Int")
  }

  @Test func `a value of an object's own path leaves no function that its edits do not know`() throws {
    let body = "requestBody: {content: {application/json: {schema: {properties: {name: {type: string}}}}}}, "
    let requests = try generate("/users/{user_id}: {put: \(answer("{properties: {status: {type: string}}}", body))}")
      .requests("User")
    #expect(requests.others == ["PUT /users/{user_id} (its response)"])
  }

  @Test func `a success without a body is no value`() throws {
    let call = try generate(
      "/users/count: {get: {responses: {'200': {content: {application/json: {schema: {type: integer}}}}, '204': {description: none}}}}"
    ).call("GET /users/count", of: "User")
    #expect(call.value == "Int?")
  }

  @Test func `a request at no entity is a function of the schema`() throws {
    let body =
      "requestBody: {content: {application/json: {schema: {required: [name], properties: {name: {type: string}}}}}}, "
    let parameters =
      "parameters: [{name: zone, in: path, schema: {type: string}}, {name: wait, in: query, required: true, schema: {type: boolean}}], "
    let generation = try generate(
      """
      /version: {get: \(answer("{type: string}"))}
        /entities: {get: \(answer("{type: integer}"))}
        /{zone}/sessions: {put: \(answer(object, parameters + body))}
      """)
    #expect(generation.model.requests.map(\.name) == ["version", "entitiesRequest", "sessions"])
    let file = SchemaRequestsFile(model: generation.model, source: "x").text
    #expect(
      file.contains(
        """
          /// `PUT /{zone}/sessions`
          static func sessions(zone: String, wait: Bool, name: String) async throws -> Session {
            let query: QueryParameters = ["wait": wait]
            let values: [String: Any?] = ["name": name]
            var request = try Client.current.request(.put, "\\(String(pathSegment: zone))/sessions", query: query)
            try request.setJSON(values)
            let sending = try Client.current.sending(request, as: Session.self, options: .envelope(.wholeBody))
            return try await sending.send().value
          }
        """), "\(file)")
  }

  @Test func `only some entities come with the structs of their functions`() throws {
    var settings = Settings()
    settings.only = ["User"]
    let paths = """
      /users/count: {get: \(answer("{$ref: '#/components/schemas/UserCount'}"))}
        /version: {get: \(answer("{$ref: '#/components/schemas/Version'}"))}
        /things/{id}: {get: \(answer("{$ref: '#/components/schemas/Thing'}"))}
      """
    let schemas =
      ", UserCount: \(object), Version: {properties: {major: {type: integer}}}, Thing: {properties: {id: {type: integer}}}"
    let some = try generate(paths, schemas, settings).model
    #expect(some.structs.map(\.name) == ["UserCount"])
    #expect(some.requests == [])
    let all = try generate(paths, schemas).model
    #expect(all.structs.map(\.name) == ["UserCount", "Version"])
    #expect(all.requests.map(\.name) == ["version"])
  }

  @Test func `a struct that no function returns is not written`() throws {
    let parameter = "parameters: [{name: filter, in: query, required: true, schema: {type: object}}], "
    let generation = try generate(
      """
      /users/count: {get: \(answer(object, parameter))}
        /users/{user_id}: {delete: \(answer(object))}
      """)
    #expect(generation.model.structs == [])
  }
}
