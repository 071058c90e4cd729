public import EntityClient

/// A country as ISO 3166-1 lists it.
@Entity public final class Country {
  /// Two letters, such as `NO`.
  @UID @Key("id") public var code: String
  @Key("alpha_3") public var alpha3: String
  /// Three digits; a text, for it may begin with zeros.
  public var numeric: String
  public var name: String
  public var officialName: String?
  public var commonName: String?
  public var flag: String
  public var lastModified: Int
  @Relationship(inverse: \Subdivision.country, onDelete: .cascade) public var subdivisions: [Subdivision]
}
