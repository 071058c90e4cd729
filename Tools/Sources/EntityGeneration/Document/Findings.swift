/// Something in a document that is broken or that no rule could decide. The generation goes on.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
  public enum Kind: String, Sendable {
    /// The document contradicts itself or the specification.
    case broken
    /// A person can decide it, in `entity-gen.json` or in the code.
    case open
    /// An example of the document that no test reads.
    case unread
  }

  public let kind: Kind
  /// The file and the JSON pointer.
  public let place: String
  public let sentence: String

  public var description: String { "\(place): \(sentence)" }
}

/// The findings of one run, each once, in their order.
final class Findings {
  private(set) var all: [Finding] = []
  private var known: Set<Finding> = []
  /// A document with more is broken as a whole, and nobody reads so many lines.
  private let limit = 10_000

  func note(_ kind: Finding.Kind, _ place: String, _ sentence: String) {
    let finding = Finding(kind: kind, place: place, sentence: sentence)
    guard all.count < limit, known.insert(finding).inserted else { return }
    all.append(finding)
  }
}
