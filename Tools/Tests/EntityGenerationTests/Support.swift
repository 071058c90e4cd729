import Foundation
import Testing

@testable import EntityGeneration

/// The folder with the documents of the tests.
let documents = URL(filePath: #filePath).deletingLastPathComponent().appending(
  path: "Documents", directoryHint: .isDirectory)

/// Generates from the text of a document, which gets the version and the title.
func generate(_ text: String, _ settings: Settings = Settings()) throws -> Generation {
  let whole = "openapi: 3.1.0\ninfo: {title: Studio, version: '1'}\n" + text
  let root = try DocumentFiles.node(Data(whole.utf8), of: "studio.yaml")
  return try Generation(root, file: "studio.yaml", folder: documents, settings: settings)
}

/// A document in which `GET /things` answers with a list of the schema `Thing`, and `GET /things/{id}` with one.
func thing(_ schemas: String, _ settings: Settings = Settings()) throws -> Generation {
  try generate(
    """
    paths:
      /things:
        get: {responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Thing'}}}}}}}
      /things/{thing_id}:
        get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}}
    components:
      schemas:

    """ + schemas.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"), settings)
}

extension Generation {
  func entity(_ name: String) throws -> SchemaModel.Entity { try #require(model.entities.first { $0.name == name }) }

  func requests(_ name: String) throws -> SchemaModel.Requests { try #require(try entity(name).requests) }

  /// The declarations of an entity's properties, as its file has them.
  func lines(_ name: String) throws -> [String] {
    try entity(name).properties.map { EntityFile.line($0, keyStyle: model.keyStyle) }
  }

  func call(_ operation: String, of name: String) throws -> SchemaModel.Call {
    try #require(try requests(name).calls.first { $0.operation == operation })
  }

  var broken: [String] { findings.filter { $0.kind == .broken }.map(\.description) }
  var open: [String] { findings.filter { $0.kind == .open }.map(\.description) }
}

/// A folder that is removed after the test.
final class Scratch {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "entity-gen-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ text: String, to path: String) throws {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func text(_ path: String) throws -> String { try String(contentsOf: url.appending(path: path), encoding: .utf8) }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: url.appending(path: path).path(percentEncoded: false))
  }
}
