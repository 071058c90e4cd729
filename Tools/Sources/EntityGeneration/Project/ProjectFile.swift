import Foundation

/// `entity-gen.json`: where the document is, what a person has decided, and the model of the last run.
struct ProjectFile: Codable, Equatable {
  var source: [String]
  /// The method and the path of recorded JSON, as `GET:/users`.
  var at: String?
  var settings: Settings
  /// The name of the package, where it was made.
  var package: String?
  var schema: String
  /// The paths of the files that are written anew.
  var generated: [String] = []
  var model: SchemaModel

  /// Keys of the file that nothing reads.
  private(set) var unknownKeys: [String] = []

  private enum Key: String, CodingKey, CaseIterable { case source, at, package, schema, generated, model }

  init(source: [String], at: String?, settings: Settings, package: String?, schema: String, model: SchemaModel) {
    (self.source, self.at, self.settings) = (source, at, settings)
    (self.package, self.schema, self.model) = (package, schema, model)
  }

  /// The settings stand beside the other keys.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    source = try container.decode([String].self, forKey: .source)
    at = try container.decodeIfPresent(String.self, forKey: .at)
    package = try container.decodeIfPresent(String.self, forKey: .package)
    schema = try container.decodeIfPresent(String.self, forKey: .schema) ?? "Schema"
    generated = try container.decodeIfPresent([String].self, forKey: .generated) ?? []
    model = try container.decode(SchemaModel.self, forKey: .model)
    settings = try Settings(from: decoder)
    let known = Set(Key.allCases.map(\.rawValue) + Settings.CodingKeys.allCases.map(\.rawValue))
    unknownKeys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).filter { !known.contains($0) }
  }

  func encode(to encoder: any Encoder) throws {
    try settings.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(source, forKey: .source)
    try container.encodeIfPresent(at, forKey: .at)
    try container.encodeIfPresent(package, forKey: .package)
    try container.encode(schema, forKey: .schema)
    try container.encode(generated, forKey: .generated)
    try container.encode(model, forKey: .model)
  }

  /// Sorted, so that a version control shows what has changed.
  var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }

  /// - Returns: `nil` where there is none yet.
  /// - Throws: ``GenerationError`` for a file that can't be read.
  static func read(in folder: URL) throws -> ProjectFile? {
    let url = folder.appending(path: Settings.file)
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else { return nil }
    do {
      return try JSONDecoder().decode(ProjectFile.self, from: Data(contentsOf: url))
    } catch DecodingError.keyNotFound(let key, let context) {
      throw GenerationError(
        Settings.file, "The key '\((context.codingPath + [key]).map(\.stringValue).joined(separator: "."))' is missing."
      )
    } catch DecodingError.typeMismatch(_, let context) {
      throw GenerationError(
        Settings.file, "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' has another type.")
    } catch {
      throw GenerationError(Settings.file, "The file can't be read as JSON.")
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  var layout: Layout {
    var layout = package.map(Layout.init(package:)) ?? Layout()
    layout.schema = schema
    return layout
  }
}
