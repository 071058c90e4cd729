/// The part of NIOCore that the adapter uses, so that the adapter compiles without NIO. Nothing here works.
public struct ByteBuffer: Sendable {
  public init(bytes: some Sequence<UInt8>) {}
  public var readableBytesView: [UInt8] { [] }
}

public struct NIOTooManyBytesError: Error {
  public init(maxBytes: Int) {}
}

public struct TimeAmount: Sendable {
  public static func seconds(_ amount: Int64) -> TimeAmount { TimeAmount() }
}
