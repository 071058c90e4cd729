public import NIOCore
public import NIOHTTP1

/// The part of AsyncHTTPClient that the adapter uses, so that the adapter compiles without NIO. Nothing here works.
public final class HTTPClient: Sendable {
  public func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse {
    HTTPClientResponse()
  }
}

public struct HTTPClientError: Error, Equatable {
  private var number: Int
  public static let connectTimeout = HTTPClientError(number: 1)
  public static let getConnectionFromPoolTimeout = HTTPClientError(number: 2)
  public static let readTimeout = HTTPClientError(number: 3)
  public static let writeTimeout = HTTPClientError(number: 4)
  public static let deadlineExceeded = HTTPClientError(number: 5)
  public static let bodyLengthMismatch = HTTPClientError(number: 6)
}

public struct HTTPClientRequest: Sendable {
  public struct Body: Sendable {
    public struct Length: Sendable {
      public static let unknown = Length()
      public static func known(_ count: Int64) -> Length { Length() }
    }
    public static func bytes(_ bytes: ByteBuffer) -> Body { Body() }
    public static func stream<Bytes: AsyncSequence & Sendable>(_ bytes: Bytes, length: Length) -> Body
    where Bytes.Element == ByteBuffer { Body() }
  }
  public var method = HTTPMethod(rawValue: "GET")
  public var headers = HTTPHeaders()
  public var body: Body?
  public init(url: String) {}
}

public struct HTTPClientResponse: Sendable {
  public struct Body: Sendable {
    public func collect(upTo limit: Int) async throws -> ByteBuffer { ByteBuffer(bytes: []) }
  }
  public var status = HTTPResponseStatus()
  public var headers = HTTPHeaders()
  public var body = Body()
}
