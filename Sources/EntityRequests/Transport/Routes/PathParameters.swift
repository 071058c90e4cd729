/// The values that the wildcards of a ``PathPattern`` stand for, not percent-encoded.
///
/// ```swift
/// let parameters: PathParameters = ["owner": "ada", "number": 7]
/// let others = PathParameters(unnamed: [7], rest: ["docs", "a b.txt"])     // for `repos/#/**`
/// ```
public struct PathParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// The values of `{name}` and `{name:#}`.
  public var named: [String: String]
  /// The values of `*` and `#`, in the order of the pattern.
  public var unnamed: [String]
  /// The components that `**` stands for.
  public var rest: [String]

  /// No parameters.
  public init() { self.init([:]) }

  /// Parameters of each kind.
  ///
  /// - Parameters:
  ///   - named: Values by the names of the pattern.
  ///   - unnamed: The values of `*` and `#`, in the order of the pattern.
  ///   - rest: The components for `**`.
  public init(
    _ named: [String: any LosslessStringConvertible] = [:], unnamed: [any LosslessStringConvertible] = [],
    rest: [String] = []
  ) {
    self.named = named.mapValues(\.description)
    self.unnamed = unnamed.map(\.description)
    self.rest = rest
  }

  /// Values by name; of two with the same name the later one counts.
  public init(dictionaryLiteral elements: (String, any LosslessStringConvertible)...) {
    self.init(Dictionary(elements) { $1 })
  }

  /// The value of a name.
  public subscript(name: String) -> String? {
    get { named[name] }
    set { named[name] = newValue }
  }
}
