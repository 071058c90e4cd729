/// The manifest of a package with the schema, a program that uses it, and tests.
struct PackageFiles {
  let name: String
  let model: SchemaModel
  /// The repository and the version that the README names.
  static let repository = "https://github.com/entityclient/EntityClient.git"
  static let version = "0.1.0"

  /// A path, or the URL of a repository.
  let library: String
  /// A target without any file does not resolve.
  let hasTests: Bool

  var files: [GeneratedFile] {
    [
      GeneratedFile(path: "Package.swift", text: manifest, owner: .person),
      GeneratedFile(path: ".gitignore", text: ".build/\n.swiftpm/\n", owner: .person),
      GeneratedFile(path: "Sources/\(name)/main.swift", text: program, owner: .person),
    ]
  }

  /// A first sync: a list that needs no argument.
  private var program: String {
    let schema = "\(model.prefix)Schema"
    let report = #"print("\(counts.inserted) new, \(counts.updated) changed, \(counts.unchanged) as they were")"#
    var text = SwiftText()
    text.line("import Adapters")
    text.line("import EntityClient")
    text.line()
    let url = model.baseURL == nil ? SwiftText.literal("https://api.example.com") : "\(schema).baseURL"
    text.line("let server = CommandLine.arguments.dropFirst().first ?? \(url)")
    text.call(
      "let store = try EntityStore",
      [".named(\(SwiftText.literal(name)))", "entities: \(schema).entities", "keyStyle: \(schema).keyStyle"], indent: 0)
    text.line("// A server that wants a token gets it with `headers: [\"Authorization\": \"Bearer …\"]`.")
    text.line("try Client.install(Client(adapter: CurlAdapter().standard(), store: store, baseURL: server))")
    text.line()
    switch list {
    case let (entity, call)? where call.kind == .pages:
      text.line("for try await page in \(entity).\(SwiftNames.quoted(call.name))() {")
      text.line("let counts = page.counts", indent: 2)
      text.line(report, indent: 2)
      text.line("break  // the first page is enough to begin with", indent: 2)
      text.line("}")
    case let (entity, call)?:
      text.line("let counts = try await \(entity).\(SwiftNames.quoted(call.name))().counts")
      text.line(report)
    case nil:
      text.line("// Call one of the functions in `Generated` here: the document has no list that needs no argument.")
    }
    return text.text
  }

  private var list: (entity: String, call: SchemaModel.Call)? {
    let lists = model.entities.flatMap { entity in
      (entity.requests?.calls ?? []).filter { call in
        [.pages, .list].contains(call.kind) && !call.isDeprecated && call.parameters.allSatisfy(\.isOptional)
          // No formatter breaks the line.
          && entity.name.count + call.name.count < 80
      }.map { (entity.name, $0) }
    }
    return lists.first { $0.1.name == "list" } ?? lists.first
  }

  private var manifest: String {
    let dependency =
      library.contains("://")
      ? ".package(url: \(SwiftText.literal(library)), from: \(SwiftText.literal(Self.version)))"
      : ".package(name: \"EntityClient\", path: \(SwiftText.literal(library)))"
    let tests =
      hasTests
      ? """
      ,
          .testTarget(
            name: "\(name)Tests",
            dependencies: [
              "\(name)", .product(name: "EntityClient", package: "EntityClient"),
              .product(name: "EntityTesting", package: "EntityClient"),
            ],
            exclude: ["Fixtures"]),
      """ : ""
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "\(name)",
        platforms: [.macOS(.v15), .iOS(.v18)],
        dependencies: [
          \(dependency)
        ],
        targets: [
          .executableTarget(
            name: "\(name)",
            dependencies: [
              .product(name: "EntityClient", package: "EntityClient"),
              .product(name: "Adapters", package: "EntityClient"),
            ])\(tests)
        ],
        swiftLanguageModes: [.v6]
      )

      """
  }
}
