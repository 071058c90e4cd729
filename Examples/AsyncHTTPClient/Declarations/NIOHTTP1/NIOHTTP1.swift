/// What the adapter uses of NIOHTTP1, so that it compiles without NIO. Nothing here works.
public struct HTTPMethod: Sendable {
  public init(rawValue: String) {}
}

public struct HTTPHeaders: Sendable, Sequence {
  public init() {}
  public mutating func add(name: String, value: String) {}
  public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { [].makeIterator() }
}

public struct HTTPResponseStatus: Sendable {
  public init() {}
  public var code: UInt { 0 }
}
