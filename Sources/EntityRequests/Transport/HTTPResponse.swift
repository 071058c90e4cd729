public import Foundation
import Synchronization

/// A complete HTTP response.
public struct HTTPResponse: Sendable {
  /// The status code, 100 to 599.
  public var status: Int
  public var headers: HTTPHeaders
  /// The URL that answered: after redirects, if an adapter followed any.
  public var url: URL?
  /// The body after content decoding; empty when there was none.
  public var body: Data

  public init(status: Int, headers: HTTPHeaders = [:], url: URL? = nil, body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
  }
}

/// A response whose body is pulled by its reader. It is read once; dropping it cancels the transfer.
public struct StreamedHTTPResponse: Sendable {
  public typealias Reader = @Sendable () async throws -> Data?

  public var status: Int
  public var headers: HTTPHeaders
  public var url: URL?
  /// Hands out the next piece of the body; `nil` at its end.
  public let next: Reader

  public init(status: Int, headers: HTTPHeaders, url: URL?, next: @escaping Reader) {
    self.status = status
    self.headers = headers
    self.url = url
    self.next = next
  }
}

extension StreamedHTTPResponse {
  /// A response that is already here, handed over as one piece.
  public init(_ response: HTTPResponse) {
    let body = Once(response.body)
    self.init(status: response.status, headers: response.headers, url: response.url) { body.removeContent() }
  }
}

/// Gives its content to the first who asks.
private final class Once: Sendable {
  private let content: Mutex<Data?>

  init(_ data: Data) { content = Mutex(data.isEmpty ? nil : data) }

  func removeContent() -> Data? {
    content.withLock {
      let data = $0
      $0 = nil
      return data
    }
  }
}
