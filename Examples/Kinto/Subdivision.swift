public import EntityClient

/// A part of a country as ISO 3166-2 lists it; it may be a part of another one.
@Entity public final class Subdivision {
  /// The country's code and up to three characters, such as `NO-03`.
  @UID @Key("id") public var code: String
  public var name: String
  /// The word of the country for such a part: "Province", for example.
  @Key("type") public var category: String
  public var country: Country
  public var parent: Subdivision?
  public var lastModified: Int
  @Relationship(inverse: \Subdivision.parent) public var parts: [Subdivision]
}
