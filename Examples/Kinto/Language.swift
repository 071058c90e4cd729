public import EntityClient

/// A language as ISO 639-3 lists it.
@Entity public final class Language {
  /// Three letters, such as `nor`.
  @UID @Key("id") public var code: String
  @Key("alpha_2") public var alpha2: String?
  /// The three letters that libraries use, where they are others.
  public var bibliographic: String?
  public var name: String
  public var invertedName: String?
  public var commonName: String?
  public var scope: Scope = .individual
  @Key("type") public var vitality: Vitality = .living
  public var lastModified: Int

  public enum Scope: String, AttributeValue, Sendable {
    case individual = "I"
    case macrolanguage = "M"
    case special = "S"
  }

  public enum Vitality: String, AttributeValue, Sendable {
    case ancient = "A"
    case constructed = "C"
    case extinct = "E"
    case historical = "H"
    case living = "L"
    case special = "S"
  }
}
