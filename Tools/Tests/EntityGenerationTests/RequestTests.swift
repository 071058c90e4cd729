import Foundation
import Testing

@testable import EntityGeneration

@Suite struct RequestTests {
  /// A list of users with parameters and further keys of the body.
  private func list(_ parameters: String, body: String = "", headers: String = "{}") throws -> SchemaModel.Call {
    try generate(
      """
      paths:
        /users:
          get:
            parameters: [\(parameters)]
            responses:
              '200':
                headers: \(headers)
                content: {application/json: {schema: {properties: {data: {type: array, items: {$ref: '#/components/schemas/User'}}\(body)}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}}}
      """
    ).call("GET /users", of: "User")
  }

  private func query(_ names: String...) -> String {
    names.map { "{name: '\($0)', in: query, schema: {type: integer}}" }.joined(separator: ", ")
  }

  @Test func `the pages of a list are found`() throws {
    #expect(try list(query("page", "per_page")).pagination == ".numbers(\"page\", size: perPage, \"per_page\")")
    #expect(
      try list(query("offset", "limit"), body: ", meta: {properties: {total: {type: integer}}}").pagination
        == ".offsets(\"offset\", size: limit, \"limit\", total: .body(\"meta.total\"))")
    #expect(
      try list(query("cursor"), body: ", next_cursor: {type: string}").pagination
        == ".cursor(\"next_cursor\", parameter: \"cursor\", mayBeAbsent: true)")
    #expect(
      try list("", body: ", links: {properties: {next: {type: string}}}").pagination
        == ".body(\"links.next\", mayBeAbsent: true)")
    #expect(
      try list(query("cursor"), body: ", meta: {properties: {next: {type: string}}}").pagination
        == ".cursor(\"meta.next\", parameter: \"cursor\", mayBeAbsent: true)")
    #expect(
      try list(query("cursor"), body: ", links: {properties: {next: {type: string}}}").pagination
        == ".body(\"links.next\", mayBeAbsent: true)")
    for hint in [
      "format: uri", "example: 'https://example.com/users?cursor=b'", "description: The URL of the next page",
    ] {
      #expect(
        try list(query("cursor"), body: ", next: {type: string, \(hint)}").pagination
          == ".body(\"next\", mayBeAbsent: true)")
    }
    #expect(try list("", headers: "{Link: {schema: {type: string}}}").pagination == ".link")
    let unsure = try list(query("max_id"))
    #expect(unsure.pagination == nil)
    #expect(unsure.parameters.map(\.name) == ["maxID"])
  }

  @Test(arguments: [
    (
      "groups: {type: array, items: {$ref: '#/components/schemas/Group'}}, extras: {properties: {a: {type: string}}}",
      "groups"
    ),
    (
      "data: {properties: {items: {type: array, items: {$ref: '#/components/schemas/Group'}}}}, total: {type: integer}",
      "data.items"
    ),
    ("group: {$ref: '#/components/schemas/Group'}, extras: {properties: {a: {type: string}}}", "group"),
    ("data: {$ref: '#/components/schemas/Group'}, status: {type: string}", "data"),
  ])
  func `the objects of an answer are found beside other keys`(body: String, keyPath: String) throws {
    let generation = try generate(
      """
      paths:
        /groups.json: {get: {responses: {'200': {content: {application/json: {schema: {properties: {\(body)}}}}}}}}
      components: {schemas: {Group: {properties: {id: {type: integer}}}}}
      """)
    #expect(try generation.requests("Group").listEnvelope == keyPath)
  }

  @Test func `the size of a page is at most what the document allows`() throws {
    let size = "{name: per_page, in: query, schema: {type: integer, maximum: 40, default: 20}}"
    #expect(try list(query("page") + ", " + size).size == .init(name: "perPage", key: "40"))
  }

  private let studio = try? Source.document(documents.appending(path: "studio.yaml"))

  @Test func `an envelope, the key of bodies and the keys of links are found`() throws {
    let requests = try #require(studio).requests("StudioTask")
    #expect(requests.basePath == "tasks")
    #expect(requests.listEnvelope == "data")
    #expect(requests.itemEnvelope == "data")
    #expect(requests.requestRootKey == "task")
    #expect(requests.requestKeys == [.init(name: "assignee", key: "assignee_id")])
    #expect(requests.writable == ["title", "state", "notes", "dueOn", "assignee"])
  }

  @Test func `a list below an object is its relationship, if a link proves it`() throws {
    let studio = try #require(studio)
    #expect(try studio.requests("Project").routes == [.init(name: "tasks", key: "{uid}/tasks")])
    #expect(try studio.lines("Project").last == "@Relationship(inverse: \\StudioTask.project) var tasks: [StudioTask]")
  }

  @Test func `operations become functions`() throws {
    let calls = try #require(studio).requests("StudioTask").calls
    #expect(
      calls.map { "\($0.kind) \($0.name)" } == [
        "pages list", "create create", "itemByUID task", "update update", "action complete",
        "list search", "action move", "action titleRequest", "value archive", "value tasksStats",
      ])
  }

  @Test func `a path elsewhere is reached from the collection, with its parameters`() throws {
    let generation = try generate(
      """
      paths:
        /v1/users: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}}}
        /v1/teams/{team}/rooms/{room}/users:
          get:
            operationId: listRoomUsers
            parameters: [{name: room, in: path, schema: {type: integer}}, {name: q, in: query, required: true, schema: {type: string}}]
            responses: {'200': {content: {application/json: {schema: {type: object, properties: {users: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}}}
      """)
    let file = RequestsFile(
      entity: try generation.entity("User"), requests: try generation.requests("User"), source: "x"
    ).text
    #expect(
      file.contains(
        """
          static func listRoomUsers(team: String, room: Int, q: String) async throws -> EntityResponse<User> {
            let query: QueryParameters = ["q": q]
            return try await get(
              "../../v1/teams/\\(String(pathSegment: team))/rooms/\\(room)/users", query: query,
              options: [.envelope("users"), .allowing(.aboveBasePath)])
          }
        """), "\(file)")
  }

  @Test func `an object's path with an extension is declared`() throws {
    let generation = try generate(
      """
      paths:
        /issues.json: {get: {responses: {'200': {content: {application/json: {schema: {properties: {issues: {type: array, items: {$ref: '#/components/schemas/Issue'}}, total_count: {type: integer}}}}}}}}}
        /issues/{id}.json:
          get: {responses: {'200': {content: {application/json: {schema: {properties: {issue: {$ref: '#/components/schemas/Issue'}}}}}}}}
          put: {requestBody: {content: {application/json: {schema: {properties: {subject: {type: string}}}}}}, responses: {'200': {content: {application/json: {schema: {properties: {issue: {$ref: '#/components/schemas/Issue'}}}}}}}}
      components: {schemas: {Issue: {properties: {id: {type: integer}, subject: {type: string}}}}}
      """)
    let requests = try generation.requests("Issue")
    #expect(requests.basePath == "issues.json")
    #expect(requests.objectPath == "issues/{uid}.json")
    #expect(requests.listEnvelope == "issues")
    #expect(requests.itemEnvelope == "issue")
    #expect(requests.calls.map { "\($0.kind) \($0.name)" } == ["list list", "itemByUID issue", "update update"])
  }

  @Test func `a list of OData is found, and its next page`() throws {
    let generation = try generate(
      """
      paths:
        /orders:
          get: {responses: {'200': {content: {application/json: {schema: {properties: {'@odata.nextLink': {type: string}, value: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}}}}}
      components: {schemas: {Order: {properties: {id: {type: integer}}}}}
      """)
    let call = try generation.call("GET /orders", of: "Order")
    #expect(try generation.requests("Order").listEnvelope == "value")
    #expect(call.pagination == #".body("@odata\\.nextLink", mayBeAbsent: true)"#)
  }

  @Test func `the default of an operation with a success is its error`() throws {
    let generation = try generate(
      """
      paths:
        /users: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}, default: {content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}}}}
        /users/{id}/block: {post: {responses: {'204': {}, default: {content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}, Error: {properties: {id: {type: string}, message: {type: string}}}}}
      """)
    #expect(generation.model.entities.map(\.name) == ["User"])
    #expect(try generation.requests("User").calls.map(\.name) == ["list", "block"])
  }

  @Test func `a parameter does not hide the function that is called`() throws {
    let call = try list(query("page", "pages", "get", "parts"))
    #expect(call.parameters.map(\.name) == ["pagesValue", "getValue", "partsValue"])
  }

  @Test func `a field of a body does not hide the object's uid, nor the function that is called`() throws {
    let fields = ["uid", "post", "put", "patch", "delete"].map { "\($0): {type: integer}" }.joined(separator: ", ")
    let call = try generate(
      """
      paths:
        /users/{id}: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}}}}
        /users/{id}/merge: {post: {requestBody: {content: {application/json: {schema: {properties: {\(fields)}}}}}, responses: {'204': {}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}}}
      """
    ).call("POST /users/{id}/merge", of: "User")
    #expect(call.parameters.map(\.name) == ["uidValue", "postValue", "putValue", "patchValue", "deleteValue"])
    #expect(call.parameters.map(\.key) == ["uid", "post", "put", "patch", "delete"])
  }

  @Test func `an update is the PATCH of a path that has a PUT, too`() throws {
    let item = "{content: {application/json: {schema: {$ref: '#/components/schemas/Item'}}}}"
    let write = "{requestBody: \(item), responses: {'200': \(item)}}"
    let requests = try generate(
      """
      paths:
        /items/{id}: {get: {responses: {'200': \(item)}}, put: \(write), patch: \(write), delete: {responses: {'200': \(item)}}}
      components: {schemas: {Item: {properties: {id: {type: integer}, title: {type: string}}}}}
      """
    ).requests("Item")
    #expect(requests.calls.map(\.operation) == ["GET /items/{id}", "PATCH /items/{id}"])
    #expect(requests.others == ["PUT /items/{id} (`PATCH /items/{id}` does it)"])
  }

  @Test(arguments: [
    ("data: {properties: {users: USERS, posts: POSTS}}, status: {type: string}", "data.users", ["data.posts"]),
    ("users: USERS, messages: POSTS", "users", ["messages"]),
    (
      "users: USERS, posts: POSTS, errors: {type: array, items: {properties: {text: {type: string}}}}", "users",
      ["posts"]
    ),
  ])
  func `several lists are found below a key, and under words that may be about a response`(
    body: String, envelope: String, parts: [String]
  ) throws {
    func list(_ name: String) -> String { "{type: array, items: {$ref: '#/components/schemas/\(name)'}}" }
    let answer = body.replacing("USERS", with: list("User")).replacing("POSTS", with: list("Post"))
    let generation = try generate(
      """
      paths:
        /users: {get: {responses: {'200': {content: {application/json: {schema: \(list("User"))}}}}}}
        /sync: {get: {responses: {'200': {content: {application/json: {schema: {properties: {\(answer)}}}}}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}, Post: {properties: {id: {type: integer}}}}}
      """)
    let call = try generation.call("GET /sync", of: "User")
    #expect(call.envelope == envelope)
    #expect(call.parts.map(\.keyPath) == parts)
    #expect(generation.model.entities.map(\.name) == ["Post", "User"])
    #expect(generation.model.structs == [])
  }

  @Test func `a list below an object that is read otherwise is a function`() throws {
    func requests(_ answer: String, _ parameters: String = "") throws -> SchemaModel.Requests {
      try generate(
        """
        paths:
          /projects/{id}: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}}}}
          /tasks: {get: {responses: {'200': {content: {application/json: {schema: {properties: {data: {type: array, items: {$ref: '#/components/schemas/Task'}}}}}}}}}}
          /projects/{id}/tasks: {get: {parameters: [\(parameters)], responses: {'200': {content: {application/json: {schema: \(answer)}}}}}}
        components: {schemas: {Task: {properties: {id: {type: integer}, project_id: {type: integer}}}, Project: {properties: {id: {type: integer}}}}}
        """
      ).requests("StudioTask")
    }
    let bare = "{type: array, items: {$ref: '#/components/schemas/Task'}}"
    let wrapped = "{properties: {data: \(bare)}}"
    #expect(try requests(bare).calls.map(\.envelope) == [nil, ""])
    #expect(try requests(wrapped).calls.map(\.operation) == ["GET /tasks"])
    // The route reads the first page.
    #expect(try requests(wrapped, query("page", "per_page")).calls.map(\.kind) == [.list, .pages])
  }

  @Test func `an entity that only a POST answers with does not take another's path`() throws {
    let generation = try generate(
      """
      paths:
        /orders:
          get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}}}
          post: {responses: {'201': {content: {application/json: {schema: {$ref: '#/components/schemas/Receipt'}}}}}}
        /orders/{id}/lines: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Line'}}}}}}}}
      components:
        schemas:
          Order: {properties: {id: {type: integer}, receipt: {$ref: '#/components/schemas/Receipt'}}}
          Receipt: {properties: {id: {type: integer}}}
          Line: {properties: {id: {type: integer}, order_id: {type: integer}}}
      """)
    #expect(try generation.requests("Order").routes == [.init(name: "lines", key: "{uid}/lines")])
    #expect(try generation.requests("Receipt").choose != nil)
  }

  @Test func `a body of plain values is a function's parameters, and another one is left to a person`() throws {
    func requests(_ body: String) throws -> SchemaModel.Requests {
      try generate(
        """
        paths:
          /users: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}}}
          /users/{id}/note: {post: {requestBody: {content: {application/json: {schema: \(body)}}}, responses: {'204': {}}}}
        components: {schemas: {User: {properties: {id: {type: integer}}}}}
        """
      ).requests("User")
    }
    let plain = try requests(
      "{required: [body], properties: {tags: {type: array, items: {type: string}}, body: {type: string}, at: {type: number}}}"
    )
    #expect(
      plain.calls.last?.parameters.map { "\($0.name): \($0.type)" } == ["body: String", "tags: [String]", "at: Double"])
    for body in [
      "{}", "{properties: {at: {properties: {x: {type: integer}}}}}",
      "{properties: {a: {oneOf: [{type: string}, {type: integer}]}}}",
    ] {
      #expect(try requests(body).others == ["POST /users/{id}/note (its body)"])
    }
  }

  @Test func `the lists beside that of an entity are parts of its response`() throws {
    let studio = try #require(studio)
    let call = try studio.call("GET /search", of: "StudioTask")
    #expect(call.envelope == "tasks")
    let users = SchemaModel.Part(keyPath: "users", types: [.init(name: "User", key: "")])
    #expect(call.parts == [users])
    var settings = Settings()
    settings.only = ["Project", "Task"]
    let some = try Source.document(documents.appending(path: "studio.yaml"), settings: settings)
    #expect(try some.call("GET /search", of: "StudioTask").parts == [users])
  }

  @Test func `the examples of a response with several lists are evidence, and tested`() throws {
    let users = "{type: array, items: {$ref: '#/components/schemas/User'}}"
    let generation = try generate(
      """
      paths:
        /users: {get: {responses: {'200': {content: {application/json: {schema: \(users)}}}}}}
        /search:
          get:
            responses:
              '200':
                content:
                  application/json:
                    schema: {properties: {users: \(users), posts: {type: array, items: {$ref: '#/components/schemas/Post'}}}}
                    example: {users: [{id: 1, born: '2026-01-02T10:00:00Z'}], posts: [{id: 2}]}
      components: {schemas: {User: {properties: {id: {type: integer}, born: {type: string, format: date}}}, Post: {properties: {id: {type: integer}}}}}
      """)
    #expect(try generation.lines("User").last == "var born: Date?")
    let example = try #require(generation.examples.first { $0.operation == "GET /search" })
    #expect(example.isOfDocument)
    var layout = Layout()
    (layout.tests, layout.module) = ("Tests", "Demo")
    let test = try #require(generation.files(source: "x", layout: layout).first { $0.path == "Tests/UserTests.swift" })
    #expect(
      test.text.contains(
        """
            let parts: [ResponsePart] = [.list(Post.self, at: "posts")]
            try await User.upsert(from: body, options: [.envelope("users"), .parts(parts)])
            let again = try await User.upsert(from: body, options: [.envelope("users"), .parts(parts)])

        """), "\(test.text)")
  }

  @Test func `a made example has objects, and each a uid of its own`() throws {
    var settings = Settings()
    settings.choices = ["Genre.uid": "slug"]
    let generation = try generate(
      """
      paths: {/genres: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Genre'}}}}}}}}}
      components: {schemas: {Genre: {properties: {slug: {type: string, example: a}, parents: {type: array, items: {properties: {slug: {type: string, example: a}}}}}}}}
      """, settings)
    let text = try #require(generation.examples.first).body.text
    #expect(!text.contains("\"a\""), "\(text)")
  }

  @Test func `a uid that the body of a POST requires is sent`() throws {
    var settings = Settings()
    settings.choices = ["Genre.uid": "slug"]
    func requests(_ required: String) throws -> String {
      let generation = try generate(
        """
        paths:
          /genres:
            get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Genre'}}}}}}}
            post: {requestBody: {content: {application/json: {schema: {required: \(required), properties: {slug: {type: string}, name: {type: string}}}}}}, responses: {'201': {content: {application/json: {schema: {$ref: '#/components/schemas/Genre'}}}}}}
        components: {schemas: {Genre: {properties: {slug: {type: string}, name: {type: string}}}}}
        """, settings)
      return RequestsFile(
        entity: try generation.entity("Genre"), requests: try generation.requests("Genre"), source: "x"
      ).text
    }
    #expect(try requests("[slug, name]").contains("sending(.post, Self.writable + [\\.uid]).send()"))
    #expect(try requests("[name]").contains("sending(.post, Self.writable).send()"))
  }

  @Test func `a required parameter that can't be given leaves no function`() throws {
    let generation = try generate(
      """
      paths:
        /users: {get: {parameters: [{name: filter, in: query, required: true, schema: {type: object}}], responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}}}
      """)
    #expect(try generation.requests("User").calls == [])
    #expect(try generation.requests("User").others == ["GET /users (its parameter `filter`)"])
  }

  @Test func `what no function was written for is listed with its reason`() throws {
    let generation = try generate(
      """
      paths:
        /users: {get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}}}
        /users/{id}/move: {post: {requestBody: {content: {application/json: {schema: {}}}}, responses: {'204': {}}}}
        /users/{id}/photo: {get: {responses: {'200': {content: {image/png: {}}}}}}
        /users/{id}/merge: {post: {responses: {'200': {content: {application/json: {schema: {properties: {counts: {type: object}}}}}}}}}
        /users/export: {get: {responses: {'200': {content: {text/csv: {}}}}}}
        /usersettings: {get: {responses: {'200': {content: {text/csv: {}}}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}}}
      """)
    #expect(
      try generation.requests("User").others == [
        "POST /users/{id}/move (its body)", "GET /users/{id}/photo (its response)",
        "POST /users/{id}/merge (its response)", "GET /users/export (its response)",
      ])
  }
}
