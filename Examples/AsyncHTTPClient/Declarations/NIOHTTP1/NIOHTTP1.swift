/// The part of NIOHTTP1 that the adapter uses, so that the adapter compiles without NIO. Nothing here works.
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
