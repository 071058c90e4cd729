/// The decisions of a person: the content of `entity-gen.json`, and options of the command.
public struct Settings: Codable, Equatable, Sendable {
  /// The entities to generate, by their names here or in the document; empty for all.
  public var only: [String] = []
  /// Swift names by names in the document.
  public var names: [String: String] = [:]
  /// Generated files that are no more written.
  public var own: [String] = []
  /// Answers to `// choose:`: by `Task.estimate` a type, by `Genre.uid` a key, by `Task.basePath` a path.
  public var choices: [String: String] = [:]
  /// In place of the first word of the title.
  public var prefix: String?

  public init() {}

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    only = try container.decodeIfPresent([String].self, forKey: .only) ?? []
    names = try container.decodeIfPresent([String: String].self, forKey: .names) ?? [:]
    own = try container.decodeIfPresent([String].self, forKey: .own) ?? []
    choices = try container.decodeIfPresent([String: String].self, forKey: .choices) ?? [:]
    prefix = try container.decodeIfPresent(String.self, forKey: .prefix)
  }
}
