/// Header fields in the order they were sent, each name with as many values as it came with.
///
/// Names compare without regard to case (RFC 9110 §5.1).
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral, Sequence {
  private var own: [(name: String, value: String)] = []
  /// The fields of a response, in place of ``own``, until a field is changed.
  private var lines: HeaderLines?

  public init() {}

  package init(_ lines: HeaderLines) { self.lines = lines }

  private var fields: [(name: String, value: String)] {
    get { lines?.fields() ?? own }
    _modify {
      if let lines { own = lines.fields() }
      lines = nil
      yield &own
    }
  }

  public init(dictionaryLiteral elements: (String, String)...) {
    own = elements.map { (name: $0.0, value: $0.1) }
  }

  /// The first value of `name`; setting replaces all values, `nil` removes them.
  public subscript(name: String) -> String? {
    get {
      if let lines { return lines.first(name) }
      return own.first { Self.isEqual($0.name, name) }?.value
    }
    set {
      fields.removeAll { Self.isEqual($0.name, name) }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  /// Every value of `name`, in order.
  public func values(of name: String) -> [String] {
    if let lines { return lines.values(name) }
    return own.filter { Self.isEqual($0.name, name) }.map(\.value)
  }

  /// How many values `name` has.
  package func count(of name: String) -> Int {
    if let lines { return lines.count(name) }
    return own.count { Self.isEqual($0.name, name) }
  }

  public mutating func add(_ value: String, to name: String) {
    fields.append((name, value))
  }

  public var count: Int { lines?.count ?? own.count }

  public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }

  public static func == (left: Self, right: Self) -> Bool {
    let (left, right) = (left.fields, right.fields)
    return left.count == right.count
      && zip(left, right).allSatisfy { isEqual($0.name, $1.name) && $0.value == $1.value }
  }

  private static func isEqual(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }
}
