/// The objects and values of a response that could not be taken in and were left out: the first ``limit`` of them, and how many
/// there are.
///
/// ```swift
/// for error in response.refused { print(error) }  // 'Post.title' can't be read from 'title' of object 3: …
/// ```
public struct RefusedValues: Sendable, RandomAccessCollection {
  /// The most errors that are listed.
  public static let limit = 1_000

  private var listed: [MappingError] = []
  /// The number of all errors, listed or not.
  public private(set) var total = 0

  public init() {}

  init(_ listed: [MappingError], total: Int) {
    self.listed = listed
    self.total = total
  }

  public var startIndex: Int { 0 }
  /// The number of listed errors. The number of all errors is ``total``.
  public var endIndex: Int { listed.count }
  public subscript(position: Int) -> MappingError { listed[position] }

  mutating func add(_ error: MappingError) {
    total += 1
    if listed.count < Self.limit { listed.append(error) }
  }

  /// Adds the errors of a later response.
  mutating func add(_ later: RefusedValues) {
    listed += later.listed.prefix(Self.limit - listed.count)
    total += later.total
  }
}

extension RefusedValues: CustomStringConvertible {
  /// A line for each of the first errors.
  public var description: String {
    guard total > 0 else { return "nothing was refused" }
    let lines = prefix(20).map(\.description)
    let more = total - lines.count
    return (lines + (more > 0 ? ["… and \(more) more"] : [])).joined(separator: "\n")
  }
}
