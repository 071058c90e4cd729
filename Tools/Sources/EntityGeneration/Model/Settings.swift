/// The decisions of a person: the content of `entity-gen.json`, and options of the command.
struct Settings: Codable, Equatable, Sendable {
  static let file = "entity-gen.json"

  /// The entities to generate, by their names here or in the document; empty for all.
  var only: [String] = []
  /// Swift names by names in the document: of types by `Task`, of properties by `Task.title`.
  var names: [String: String] = [:]
  /// Generated files that are no more written.
  var own: [String] = []
  /// The person's choices: by `StudioTask.estimate` a type, by `StudioTask.basePath` a path, and by `Genre.uid` keys. Only in the
  /// last one the entity has its name in the document: without a uid it has none in Swift.
  var choices: [String: String] = [:]
  /// In place of the first word of the title.
  var prefix: String?

  init() {}

  /// Whether a person has taken over a generated file.
  func isOwn(_ path: String) -> Bool { own.contains { path == $0 || path.hasSuffix("/" + $0) } }

  enum CodingKeys: String, CodingKey, CaseIterable { case only, names, own, choices, prefix }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    only = try container.decodeIfPresent([String].self, forKey: .only) ?? []
    names = try container.decodeIfPresent([String: String].self, forKey: .names) ?? [:]
    own = try container.decodeIfPresent([String].self, forKey: .own) ?? []
    choices = try container.decodeIfPresent([String: String].self, forKey: .choices) ?? [:]
    prefix = try container.decodeIfPresent(String.self, forKey: .prefix)
  }
}
