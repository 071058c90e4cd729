extension Generation {
  /// - Parameters:
  ///   - source: The name of the document, for the first lines of files.
  ///   - layout: Where files go.
  func files(source: String, layout: Layout = Layout()) -> [GeneratedFile] {
    let named = model.version.isEmpty ? source : "\(source), version \(model.version)"
    var files: [GeneratedFile] = []
    for entity in model.entities {
      files.append(
        GeneratedFile(
          path: "\(layout.schema)/\(entity.name).swift", text: EntityFile(entity: entity, model: model).text,
          owner: .person))
      if let requests = entity.requests {
        files.append(
          GeneratedFile(
            path: "\(layout.schema)/Generated/\(entity.name)+Requests.swift",
            text: RequestsFile(entity: entity, requests: requests, source: named).text, owner: .generator))
      }
    }
    let kinds = KindsFile(model: model)
    if !kinds.isEmpty {
      files.append(GeneratedFile(path: "\(layout.schema)/Kinds.swift", text: kinds.text, owner: .person))
    }
    if !model.requests.isEmpty {
      files.append(
        GeneratedFile(
          path: "\(layout.schema)/Generated/Requests.swift", text: SchemaRequestsFile(model: model, source: named).text,
          owner: .generator))
    }
    files.append(
      GeneratedFile(
        path: "\(layout.schema)/Generated/Entities.swift", text: EntitiesFile(model: model, source: named).text,
        owner: .generator))
    if let tests = layout.tests, let module = layout.module {
      files += TestFiles(model: model, examples: examples, module: module, folder: tests, source: named).files
    }
    return files
  }
}

/// The folders of a project.
struct Layout: Sendable {
  var schema = "Schema"
  /// `nil` for no tests.
  var tests: String?
  /// The module that the tests import.
  var module: String?

  init() {}

  /// The layout of a package with one library.
  init(package name: String) {
    schema = "Sources/\(name)"
    tests = "Tests/\(name)Tests"
    module = name
  }
}
