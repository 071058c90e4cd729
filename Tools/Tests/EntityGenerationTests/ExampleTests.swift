import Testing

@testable import EntityGeneration

@Suite struct ExampleTests {
  private func generate(_ paths: String, only: [String] = []) throws -> Generation {
    var settings = Settings()
    settings.only = only
    return try EntityGenerationTests.generate(
      """
      paths:
      \(paths.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
      components:
        schemas:
          User: {properties: {id: {type: integer}, born: {type: string, format: date}}}
          Stats: {type: object, properties: {open: {type: integer}}}
          Badge: {type: object, properties: {user: {$ref: '#/components/schemas/User'}, text: {type: string}}}
      """, settings)
  }

  /// A response with a schema and an example.
  private func answer(_ schema: String, _ example: String, status: Int = 200) -> String {
    let schema = schema.first?.isUppercase == true ? "{$ref: '#/components/schemas/\(schema)'}" : schema
    return "'\(status)': {content: {application/json: {schema: \(schema), example: \(example)}}}"
  }

  private func tests(_ generation: Generation, of subject: String) throws -> String {
    var layout = Layout()
    (layout.tests, layout.module) = ("Tests", "Demo")
    return try #require(
      generation.files(source: "x", layout: layout).first { $0.path == "Tests/\(subject)Tests.swift" }
    ).text
  }

  private func unread(_ generation: Generation) -> [String] {
    generation.findings.filter { $0.kind == .unread }.map(\.sentence)
  }

  @Test func `the examples of an entity are tested, whatever the method`() throws {
    let generation = try generate(
      """
      /users/{id}:
        get: {responses: {\(answer("User", "{id: 1}"))}}
        put: {responses: {\(answer("User", "{id: 2}")), \(answer("User", "{id: 3, born: null}", status: 202))}}
        delete: {responses: {\(answer("User", "[{id: 4, born: '2026-01-02T10:00:00Z'}]"))}}
      /users/{id}/block: {post: {responses: {\(answer("{properties: {data: {$ref: '#/components/schemas/User'}}}", "{data: {id: 5}}"))}}}
      """)
    #expect(
      generation.examples.map(\.operation) == [
        "GET /users/{id}", "PUT /users/{id}", "PUT /users/{id}", "DELETE /users/{id}", "POST /users/{id}/block",
      ])
    #expect(generation.statistics.examples == 5)
    #expect(generation.statistics.examplesRead == 5)
    // One object that stands in a list is evidence, too.
    #expect(try generation.lines("User").last == "var born: Date?")
    #expect(try tests(generation, of: "User").contains("User.upsert(from: body, options: .envelope(\"data\"))"))
  }

  @Test func `the example of a value is read as its function does`() throws {
    let generation = try generate(
      """
      /users/{id}: {get: {responses: {\(answer("User", "{id: 1}"))}}}
      /users/stats: {get: {responses: {\(answer("{properties: {data: {$ref: '#/components/schemas/Stats'}}}", "{data: {open: 1}}"))}}}
      /version: {get: {responses: {\(answer("{type: [string, 'null']}", "null"))}}}
      /words: {post: {responses: {\(answer("{type: array, items: {type: string}}", "[a, b]"))}}}
      """)
    let test = try tests(generation, of: "StudioSchema")
    #expect(test.contains("try await read(Stats.self, \"StudioSchema-1\", at: \"data\")"), "\(test)")
    #expect(test.contains("try await read(String?.self, \"StudioSchema-2\", at: .wholeBody)"), "\(test)")
    #expect(test.contains("try await read([String].self, \"StudioSchema-3\", at: .wholeBody)"), "\(test)")
    #expect(generation.statistics.examplesRead == 4)
    #expect(unread(generation) == [])
  }

  @Test func `an example that no test reads is counted, with the reason`() throws {
    let form = "requestBody: {content: {application/json: {schema: {}}}}"
    let paths = """
      /users/{id}: {get: {responses: {\(answer("User", "{id: 1}")), \(answer("Stats", "{open: 1}", status: 202))}}}
      /badge: {get: {responses: {\(answer("Badge", "{user: {id: 1}}"))}}}
      /map: {get: {responses: {\(answer("{type: object, additionalProperties: {type: integer}}", "{a: 1}"))}}}
      /login: {post: {\(form), responses: {\(answer("{type: object, properties: {token: {type: string}}}", "{token: x}"))}}}
      /open: {post: {\(form), responses: {\(answer("{type: integer}", "1"))}}}
      /badge/new: {post: {responses: {\(answer("{properties: {id: {type: integer}}}", "{id: 1}"))}}}
      /bare: {get: {responses: {'200': {content: {application/json: {examples: {a: {value: 1}, b: {value: 2}}}}}}}}
      /users/stats: {get: {responses: {\(answer("Stats", "[]"))}}}
      /users: {post: {responses: {\(answer("User", "{name: x}"))}}, put: {responses: {\(answer("User", "x"))}}}
      """
    let generation = try generate(paths)
    #expect(generation.statistics.examples == 12)
    // That of `POST /open`, too: its type is known, though no function sends its body.
    #expect(generation.statistics.examplesRead == 2)
    #expect(
      unread(generation) == [
        "1 example of 'GET /users/{id}' without a test: another success has another schema.",
        "1 example of 'GET /badge' without a test: 'Badge' leads to entities and has no uid.",
        "1 example of 'GET /map' without a test: the response has no type.",
        "1 example of 'POST /login' without a test: no function returns its value, and so it has no struct.",
        "1 example of 'POST /badge/new' without a test: no GET leads to its object.",
        "2 examples of 'GET /bare' without a test: the response has no schema.",
      ])
    #expect(
      generation.broken == [
        "studio.yaml#/paths/~1users~1stats/get/responses/200/content/application~1json/example: An example of 'GET /users/stats' is no 'Stats', and was passed over.",
        "studio.yaml#/paths/~1users/post/responses/200/content/application~1json/example: An example of 'POST /users' has no 'id', and was passed over.",
        "studio.yaml#/paths/~1users/put/responses/200/content/application~1json/example: An example of 'PUT /users' is a text, and was passed over.",
      ])
    // The rest of a part does not count.
    let part = try generate(paths, only: ["User"])
    #expect(part.statistics.examples == 5)
    #expect(unread(part).count == 1)
  }

  @Test func `an example that was written as a text of JSON is read as that, unless the response is a text`() throws {
    let generation = try EntityGenerationTests.generate(
      """
      paths:
        /users: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}, example: ' [{"id": 1, "name": "Ada"}]'}}}}}}
        /note: {get: {responses: {'200': {content: {application/json: {schema: {type: string}, example: '{"a": 1}'}}}}}}
      components: {schemas: {User: {properties: {id: {type: integer}, name: {type: string}}}}}
      """)
    #expect(generation.statistics.examples == 2)
    #expect(generation.statistics.examplesRead == 2)
    #expect(generation.examples.contains { $0.body == [["id": 1, "name": "Ada"]] })
    #expect(generation.examples.contains { $0.body == #"{"a": 1}"# })
    #expect(generation.broken == [])
  }
}
