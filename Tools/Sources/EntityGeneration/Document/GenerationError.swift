/// A document or a setting from which nothing can be generated.
public struct GenerationError: Error, Equatable, CustomStringConvertible {
  /// The file and, where there is one, the place in it.
  public let place: String
  public let sentence: String

  public init(_ place: String, _ sentence: String) { (self.place, self.sentence) = (place, sentence) }

  public var description: String { "\(place): \(sentence)" }
}
