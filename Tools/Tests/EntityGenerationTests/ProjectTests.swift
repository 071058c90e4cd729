import Foundation
import Testing

@testable import EntityGeneration

@Suite struct ProjectTests {
  private let scratch: Scratch
  private var options = Project.Options()

  init() throws {
    scratch = try Scratch()
    try scratch.write(
      try String(contentsOf: documents.appending(path: "studio.yaml"), encoding: .utf8), to: "studio.yaml")
    options.sources = [scratch.url.appending(path: "studio.yaml").path(percentEncoded: false)]
  }

  private func run(_ mode: Project.Mode = .generate) throws -> Project.Outcome {
    try Project(scratch.url).run(mode, options)
  }

  private func change(_ old: String, _ new: String) throws {
    let text = try scratch.text("studio.yaml")
    #expect(text.contains(old))
    try scratch.write(text.replacing(old, with: new), to: "studio.yaml")
  }

  @Test func `the first run writes all, and the second nothing`() throws {
    #expect(
      try run().written == [
        "Schema/Comment.swift", "Schema/Photo.swift", "Schema/Project.swift",
        "Schema/Generated/Project+Requests.swift", "Schema/StudioTask.swift",
        "Schema/Generated/StudioTask+Requests.swift", "Schema/User.swift", "Schema/Generated/User+Requests.swift",
        "Schema/Kinds.swift", "Schema/Generated/Requests.swift", "Schema/Generated/Entities.swift", "entity-gen.json",
      ])
    #expect(try run().written == [])
    #expect(try run(.diff).changes == [])
    // A run without a document takes that of the project.
    #expect(try Project(scratch.url).run(.diff, Project.Options()).changes == [])
  }

  @Test func `a generated file comes back, and a person's stays`() throws {
    _ = try run()
    try scratch.write("// mine", to: "Schema/StudioTask.swift")
    try scratch.write("// lost", to: "Schema/Generated/StudioTask+Requests.swift")
    #expect(try run().written == ["Schema/Generated/StudioTask+Requests.swift"])
    #expect(try scratch.text("Schema/StudioTask.swift") == "// mine")
  }

  @Test func `a file that is taken over is left alone`() throws {
    _ = try run()
    let settings = try scratch.text("entity-gen.json").replacing(
      "\"own\" : [\n\n  ]", with: "\"own\" : [\"StudioTask+Requests.swift\"]")
    try scratch.write(settings, to: "entity-gen.json")
    try scratch.write("// mine", to: "Schema/Generated/StudioTask+Requests.swift")
    _ = try run()
    #expect(try scratch.text("Schema/Generated/StudioTask+Requests.swift") == "// mine")
  }

  @Test func `a diff says what each change means to the file`() throws {
    _ = try run()
    try change("name: {type: string}}}\n    User", "title: {type: string}}}\n    User")
    try change("title: {type: string}, state", "title: {type: integer}, urgent: {type: boolean}, state")
    try change("enum: [open, in-review, done]", "enum: [open, in-review, done, parked]")
    let outcome = try run(.diff)
    #expect(
      outcome.changes.map(\.description) == [
        "! Project.name: gone. `--apply` deletes it, and writes `@Entity(removed: \"name\")`.",
        "! Project.title: new. The store adds it by itself. The line: var title: String?",
        "! StudioTask.urgent: new. The store adds it by itself. The line: var urgent: Bool?",
        "! StudioTask.title: was String, and is Int. A step: "
          + "`try $0.convert(\"title\", of: \"StudioTask\", to: Int.self, sql: \"CAST(title AS INTEGER)\")`.",
        "  StudioTask: its requests have changed. `StudioTask+Requests.swift` is written anew.",
        "! TaskState: has the new values `parked`. A value without a case stays in the row.",
      ])
    #expect(outcome.merges == ["Schema/Project.swift", "Schema/StudioTask.swift", "Schema/Kinds.swift"])
    #expect(outcome.needsPerson)
    #expect(outcome.written == [])
    // Generated files would name what the classes lack.
    #expect(try run().written == [])
  }

  private func set(_ settings: String, _ value: String) throws {
    let key = settings == "names" ? "\"names\" : {\n\n  }" : "\"own\" : [\n\n  ]"
    let file = try scratch.text("entity-gen.json")
    #expect(file.contains(key))
    try scratch.write(file.replacing(key, with: "\"\(settings)\" : \(value)"), to: "entity-gen.json")
  }

  @Test func `an entity with another name keeps the lines of a person, and its rows`() throws {
    _ = try run()
    let mine = try scratch.text("Schema/Project.swift").replacing("  var name", with: "  @Indexed var name")
    try scratch.write(mine, to: "Schema/Project.swift")
    try set("names", "{\"Project\": \"Workspace\"}")
    let changes = try run(.diff).changes.map(\.description)
    #expect(
      changes.first
        == "! Workspace: was called `Project`. `--apply` renames the class, and writes `@Renamed(from: \"Project\")`. "
        + "Rename its file, and it where your code names it.")
    #expect(changes.allSatisfy { !$0.contains("gone") && !$0.contains("leads to") }, "\(changes)")
    let outcome = try run(.apply)
    #expect(outcome.conflicts == [])
    #expect(outcome.stale == ["Schema/Generated/Project+Requests.swift"])
    #expect(
      outcome.findings.map(\.description).contains(
        "Schema/Project.swift: The file is yours, and stays where it is. Move it to 'Schema/Workspace.swift', or later "
          + "changes do not reach it."))
    let text = try scratch.text("Schema/Project.swift")
    #expect(text.contains("@Entity @Renamed(from: \"Project\") final class Workspace {\n"))
    #expect(text.contains("  @Indexed var name"))
    #expect(!scratch.exists("Schema/Workspace.swift"))
    #expect(scratch.exists("Schema/Generated/Workspace+Requests.swift"))
    #expect(try scratch.text("Schema/StudioTask.swift").contains("var project: Workspace?"))
    // The name stays in the class while files of stores may have it.
    try scratch.write(text, to: "Schema/Workspace.swift")
    #expect(try run().written == [])
  }

  @Test func `another folder for the schema leaves the classes of a person alone`() throws {
    _ = try run()
    try scratch.write("// mine", to: "Schema/User.swift")
    var options = options
    options.schema = "Sources/App/Schema"
    let outcome = try Project(scratch.url).run(.generate, options)
    #expect(outcome.written.contains("Sources/App/Schema/Generated/User+Requests.swift"))
    #expect(!scratch.exists("Sources/App/Schema/User.swift"))
    #expect(outcome.stale.allSatisfy { $0.contains("/Generated/") })
    #expect(
      outcome.findings.contains {
        $0.place == "Schema/User.swift" && $0.sentence.contains("'Sources/App/Schema/User.swift'")
      })
  }

  @Test func `a class that is gone from the document is not to be deleted with the lines of a person`() throws {
    _ = try run()
    try scratch.write(try scratch.text("Schema/User.swift") + "// mine\n", to: "Schema/User.swift")
    let text = try scratch.text("studio.yaml").replacing("/users/{user_id}: {get", with: "/users/{user_id}: {x-get")
      .replacing(
        "assignee: {anyOf: [{$ref: '#/components/schemas/User'}, {type: 'null'}]}", with: "assignee: {type: string}"
      )
      .replacing("users: {type: array, items: {$ref: '#/components/schemas/User'}}, ", with: "")
    try scratch.write(text, to: "studio.yaml")
    let outcome = try run(.apply)
    #expect(outcome.changes.contains { $0.subject == "User" && $0.sentence.hasPrefix("gone.") })
    #expect(outcome.stale == ["Schema/Generated/User+Requests.swift"])
    #expect(
      outcome.findings.map(\.description).contains(
        "Schema/User.swift: Nothing of the document is in it any more; your lines are."))
  }

  @Test func `a file of requests that a person has taken over is theirs to change`() throws {
    _ = try run()
    try set("own", "[\"StudioTask+Requests.swift\"]")
    try change("notes: {type: [string, 'null']}\n", "remarks: {type: [string, 'null']}\n")
    #expect(
      try run(.diff).changes.map(\.description).contains(
        "! StudioTask: its requests have changed. `StudioTask+Requests.swift` is yours: see that it names nothing that is gone."
      ))
  }

  @Test func `the file of an earlier version of the tool is read`() throws {
    _ = try run()
    let later: Set<String> = ["formerNames", "parts", "isEnum"]
    let url = scratch.url.appending(path: "entity-gen.json")
    let file = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    func without(_ value: Any) -> Any {
      if let list = value as? [Any] { return list.map(without) }
      guard let object = value as? [String: Any] else { return value }
      return object.filter { !later.contains($0.key) }.mapValues(without)
    }
    try JSONSerialization.data(withJSONObject: without(file)).write(to: url)
    #expect(try run(.diff).merges == [])
  }

  @Test func `lines of the document that a person's replace are named`() throws {
    _ = try run()
    try scratch.write(
      try scratch.text("Schema/Project.swift").replacing("var name: String\n", with: "var name: Substring\n"),
      to: "Schema/Project.swift")
    try change(
      "required: [id, name], properties: {id: {type: integer}, name: {type: string}}}\n    User",
      "properties: {id: {type: integer}, name: {type: string}}}\n    User")
    var options = options
    options.keepsOwnLines = true
    #expect(
      try Project(scratch.url).run(.apply, options).findings.map(\.description).contains(
        "Schema/Project.swift:5: Your lines stay, and these of the document were not taken: `var name: String?`."))
  }

  @Test func `a property that may have another name gets both lines`() throws {
    _ = try run()
    try change("name: {type: string}, avatar_url", "full_name: {type: string}, avatar_url")
    try change(
      "required: [id, name], properties: {id: {type: integer}, full_name",
      "required: [id, full_name], properties: {id: {type: integer}, full_name")
    #expect(
      try run(.diff).changes.map(\.description).first
        == "! User.name: gone, or called `fullName` now. Write `@Renamed(from: \"name\")` there after `--apply`, or else "
        + "`@Entity(removed: \"name\")`: the store refuses its file until one of them is there.")
    #expect(try run(.apply).conflicts == [])
    let merged = try scratch.text("Schema/User.swift")
    #expect(merged.contains("@Entity final class User {") && merged.contains("  var fullName: String\n"))
    let renamed = merged.replacing("  var fullName", with: "  @Renamed(from: \"name\") var fullName")
    try scratch.write(renamed, to: "Schema/User.swift")
    #expect(try run(.apply).written == [])
    #expect(try scratch.text("Schema/User.swift") == renamed)
  }

  @Test func `an apply keeps the lines of a person`() throws {
    _ = try run()
    let mine = try scratch.text("Schema/StudioTask.swift").replacing(
      "var title: String\n", with: "@Indexed var title: String\n")
    try scratch.write(mine, to: "Schema/StudioTask.swift")
    try change(
      "html_url: {type: string, format: uri}",
      "html_url: {type: string, format: uri}\n            votes: {type: integer}")
    let outcome = try run(.apply)
    #expect(outcome.conflicts == [])
    let merged = try scratch.text("Schema/StudioTask.swift")
    #expect(merged.contains("  @Indexed var title: String\n"))
    #expect(merged.contains("  var htmlURL: URL?\n  var votes: Int?\n"))
    #expect(try run(.diff).changes == [])
  }

  @Test func `an apply declares what is gone, and what comes back is declared no more`() throws {
    _ = try run()
    try change("avatar_url: {type: [string, 'null'], format: uri}", "age: {type: integer}")
    #expect(try run(.apply).conflicts == [])
    #expect(try scratch.text("Schema/User.swift").contains("@Entity(removed: \"avatarURL\") final class User {\n"))
    try change("age: {type: integer}", "avatar_url: {type: [string, 'null'], format: uri}")
    _ = try run(.apply)
    #expect(try scratch.text("Schema/User.swift").contains("@Entity(removed: \"age\") final class User {\n"))
  }

  @Test func `an apply with a conflict writes nothing, and shows both`() throws {
    _ = try run()
    let mine = try scratch.text("Schema/StudioTask.swift").replacing(
      "var title: String\n", with: "@Indexed var title: String\n")
    try scratch.write(mine, to: "Schema/StudioTask.swift")
    try change(
      "title: {type: string}, state: {$ref: '#/components/schemas/TaskState'}, project_id",
      "title: {type: integer}, state: {$ref: '#/components/schemas/TaskState'}, project_id")
    let outcome = try run(.apply)
    #expect(
      outcome.conflicts == [
        "Schema/StudioTask.swift:7: yours:\n      @Indexed var title: String\n  the document's:\n      var title: Int"
      ])
    #expect(outcome.written == [])
    #expect(try scratch.text("Schema/StudioTask.swift") == mine)
    // The person settles it, and says so.
    let settled = mine.replacing("@Indexed var title: String\n", with: "@Indexed var title: Int\n")
    try scratch.write(settled, to: "Schema/StudioTask.swift")
    var options = options
    options.keepsOwnLines = true
    #expect(try Project(scratch.url).run(.apply, options).conflicts == [])
    #expect(try scratch.text("Schema/StudioTask.swift") == settled)
    #expect(try !run().needsPerson)
  }

  @Test func `a run does not forget a change that it could not bring into a person's file`() throws {
    _ = try run()
    try change("enum: [open, in-review, done]", "enum: [open, in-review, done, parked]")
    try change("description: A piece of work.", "description: A piece of hard work.")
    #expect(try run().needsPerson)
    #expect(try run(.diff).merges == ["Schema/StudioTask.swift", "Schema/Kinds.swift"])
    _ = try run(.apply)
    #expect(try scratch.text("Schema/Kinds.swift").contains("  case parked\n"))
    #expect(try scratch.text("Schema/StudioTask.swift").contains("/// A piece of hard work.\n"))
    #expect(try !run().needsPerson)
  }

  @Test func `a file of a person that can't be read is no file that is not there`() throws {
    _ = try run()
    let latin = Data("// caf\u{E9}\n".unicodeScalars.map { UInt8($0.value) })
    let file = scratch.url.appending(path: "Schema/StudioTask.swift")
    try latin.write(to: file)
    #expect { try run() } throws: {
      "\($0)" == "Schema/StudioTask.swift: The file can't be read as UTF-8, and so nothing was written."
    }
    #expect(try Data(contentsOf: file) == latin)
  }

  @Test func `a class that the person has moved does not come back`() throws {
    _ = try run()
    let file = scratch.url.appending(path: "Schema/StudioTask.swift")
    try FileManager.default.removeItem(at: file)
    #expect(try run().written == [])
    try change("description: A piece of work.", "description: A piece of hard work.")
    #expect(try run(.apply).findings.contains { $0.place == "Schema/StudioTask.swift" })
    #expect(!scratch.exists("Schema/StudioTask.swift"))
  }

  @Test func `a file that the tool never wrote is not replaced`() throws {
    var options = options
    options.package = "Studio"
    try scratch.write("// mine", to: "Tests/StudioTests/UserTests.swift")
    #expect { try Project(scratch.url).run(.generate, options) } throws: {
      "\($0)".hasPrefix("Tests/StudioTests/UserTests.swift: entity-gen did not write this file")
    }
    #expect(try scratch.text("Tests/StudioTests/UserTests.swift") == "// mine")
    #expect(!scratch.exists("entity-gen.json"))
  }

  @Test func `a folder that can't be written to gets a sentence`() throws {
    try scratch.write("", to: "Schema")
    #expect { try run() } throws: { "\($0)".hasPrefix("Schema/Comment.swift: The file can't be written:") }
  }

  @Test func `another title or order of keys changes no name`() throws {
    _ = try run()
    try change("title: Studio", "title: The New Studio")
    #expect(try run().written == ["entity-gen.json"])
    #expect(try scratch.text("Schema/Generated/Entities.swift").contains("enum StudioSchema"))
  }

  @Test func `tests and fixtures of an entity that is gone are named until they are deleted`() throws {
    var options = options
    options.package = "Studio"
    _ = try Project(scratch.url).run(.generate, options)
    try change("/users/{user_id}: {get", "/users/{user_id}: {x-get")
    let stale = [
      "Sources/Studio/Generated/User+Requests.swift", "Tests/StudioTests/Fixtures/User-1.json",
      "Tests/StudioTests/UserTests.swift",
    ]
    #expect(try run(.apply).stale == stale)
    #expect(try run(.apply).stale == stale)
    try FileManager.default.removeItem(at: scratch.url.appending(path: "Tests/StudioTests/UserTests.swift"))
    #expect(try run(.apply).stale.count == 2)
  }

  @Test func `a package has the manifest of the one to copy, up to its tests`() throws {
    var options = options
    options.package = "Starter"
    _ = try Project(scratch.url).run(.generate, options)
    let file = documents.appending(path: "../../../../Examples/Starter/Package.swift")
    let starter = try String(contentsOf: file, encoding: .utf8)
    let tests = try #require(starter.range(of: "      dependencies: [\"Starter\""))
    let written = try scratch.text("Package.swift")
    #expect(written.hasPrefix(starter[..<tests.lowerBound]), "\(written)")
  }

  @Test func `a file of a person that nothing is in any more is named`() throws {
    _ = try run()
    let values = ["Comment", "Photo", "TaskStats", "ArchiveStatus", "SessionToken"]
    let text = try scratch.text("studio.yaml").split(separator: "\n").filter { line in
      !values.contains { line.contains($0) }
    }.joined(separator: "\n")
    let kinds = ["state: {$ref: '#/components/schemas/TaskState'}", "place: {$ref: '#/components/schemas/Place'}"]
    let tags = "tags: {type: array, items: {$ref: '#/components/schemas/Tag'}}"
    let plain = (kinds + [tags]).enumerated().reduce(text) { text, kind in
      text.replacing(kind.element, with: "gone\(kind.offset): {type: string}")
    }
    try scratch.write(
      plain.replacing("{$ref: '#/components/schemas/TaskState'}", with: "{type: string}"), to: "studio.yaml")
    #expect(
      try run(.apply).stale == ["Schema/Comment.swift", "Schema/Kinds.swift", "Schema/Photo.swift"])
  }

  @Test func `a package without any example has no target for tests`() throws {
    try scratch.write(
      """
      openapi: 3.0.3
      info: {title: Studio, version: '1'}
      paths: {/users: {get: {responses: {'200': {content: {application/json: {example: [{}], schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}}}}
      components: {schemas: {User: {properties: {id: {type: integer}}}}}
      """, to: "studio.yaml")
    var options = options
    options.package = "Studio"
    _ = try Project(scratch.url).run(.generate, options)
    #expect(try !scratch.text("Package.swift").contains("testTarget"))
    #expect(!scratch.exists("Tests"))
  }

  @Test func `a document without an entity is a list of none`() throws {
    try scratch.write("openapi: 3.0.3\ninfo: {title: Studio, version: '1'}\npaths: {}", to: "studio.yaml")
    _ = try run()
    #expect(
      try scratch.text("Schema/Generated/Entities.swift").contains("entities: [any ManagedEntity.Type] = []\n"))
  }

  @Test func `settings that nothing reads are named`() throws {
    _ = try run()
    let file = try scratch.text("entity-gen.json")
    try scratch.write(
      file.replacing("\"own\" : [\n\n  ]", with: "\"own\" : [\"Tsk+Requests.swift\"],\n  \"chioces\" : {}"),
      to: "entity-gen.json")
    #expect(
      try run().findings.map(\.description).filter { $0.hasPrefix("entity-gen.json") } == [
        "entity-gen.json: There is no setting 'chioces'.",
        "entity-gen.json: 'own' has 'Tsk+Requests.swift', and no file of that name is generated.",
      ])
  }

  @Test func `only some entities come with what they need`() throws {
    var options = options
    options.only = ["Project"]
    let outcome = try Project(scratch.url).run(.generate, options)
    // A list that a path proves is left out with its members.
    #expect(outcome.statistics.entities == 1)
    #expect(try !scratch.text("Schema/Project.swift").contains("tasks"))
    options.only = ["Nobody"]
    #expect { try Project(scratch.url).run(.generate, options) } throws: {
      "\($0)" == "--only: No entity is called 'Nobody'. There are: Comment, Photo, Project, StudioTask, User."
    }
  }

  @Test func `a package has a manifest, a schema and tests with fixtures`() throws {
    var options = options
    options.package = "Studio"
    options.library = scratch.url.appending(path: "../EntityClient").path(percentEncoded: false)
    let outcome = try Project(scratch.url).run(.generate, options)
    #expect(try scratch.text("Package.swift").contains(".package(name: \"EntityClient\", path: \"../EntityClient\")"))
    for path in [
      "Package.swift", "Sources/Studio/User.swift", "Tests/StudioTests/UserTests.swift",
      "Tests/StudioTests/Fixtures/User-1.json",
    ] {
      #expect(outcome.written.contains(path))
    }
    // A program with a first sync, which is a person's from then on.
    let program = try scratch.text("Sources/Studio/main.swift")
    #expect(program.contains("?? StudioSchema.baseURL\n"))
    #expect(program.contains("\nlet counts = try await Project.list().counts\n"), "\(program)")
    try scratch.write("// mine", to: "Sources/Studio/main.swift")
    #expect(try Project(scratch.url).run(.generate, Project.Options()).written == [])
    #expect(try scratch.text("Sources/Studio/main.swift") == "// mine")
  }

  @Test func `the schema goes into the folder of a module, and the next run knows it`() throws {
    var options = options
    options.schema = "Sources/App/Schema"
    #expect(try Project(scratch.url).run(.generate, options).written.contains("Sources/App/Schema/User.swift"))
    #expect(try run().written == [])
  }

  @Test func `settings that can't be read are named`() throws {
    try scratch.write("{\"source\": 5}", to: "entity-gen.json")
    #expect { try run() } throws: { "\($0)" == "entity-gen.json: 'source' has another type." }
    var wrong = options
    wrong.prefix = "a/b"
    try scratch.write("{\"source\": [], \"model\": {}}", to: "entity-gen.json")
    #expect { try run() } throws: { "\($0)" == "entity-gen.json: The key 'model.title' is missing." }
    try FileManager.default.removeItem(at: scratch.url.appending(path: "entity-gen.json"))
    #expect { try Project(scratch.url).run(.diff, wrong) } throws: {
      "\($0)" == "entity-gen.json: 'a/b' can't be the name of a type: letters and digits are."
    }
    try scratch.write("{", to: "entity-gen.json")
    #expect { try run() } throws: { "\($0)" == "entity-gen.json: The file can't be read as JSON." }
  }
}
