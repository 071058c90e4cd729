import EntityRequests
import Foundation
import HTTPFoundation

/// The request and the response of an exchange, with their secrets and the beginnings of their bodies. Pages show
/// ``ShownMessages`` alone.
struct KeptMessages: Sendable, CustomStringConvertible, CustomReflectable {
  struct Body: Sendable {
    /// The first bytes of a body in memory. They end with a whole character, so that nobody reads them otherwise than those who look
    /// for secrets.
    var start = Data()
    /// The bytes of the whole body; `nil` where nobody knows.
    var size: Int?
    /// Whether the body has more bytes than ``start``.
    var isCut = false
    /// A body that is not in memory, without its content.
    var source: RequestBody?
  }

  /// The most bytes of one body.
  static let most = 128 << 10

  /// Without its body.
  let request: URLRequest
  let requestBody: Body
  /// `nil` without a response, and for a streamed one.
  let responseHeaders: HTTPHeaders?
  let responseBody: Body

  init(_ messages: ExchangeMessages) {
    var request = messages.request
    requestBody = Body(RequestBody(of: request))
    (request.httpBody, request.httpBodyStream) = (nil, nil)
    self.request = request
    responseHeaders = messages.response?.headers
    responseBody = messages.response.map { Body(.data($0.body)) } ?? Body()
  }

  var bytes: Int { requestBody.start.count + responseBody.start.count }

  var description: String { "messages of \(bytes) bytes" }

  var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension KeptMessages.Body {
  fileprivate init(_ body: RequestBody) {
    switch body {
    case .none: size = 0
    case .data(let data):
      isCut = data.count > KeptMessages.most
      (start, size) = (isCut ? Self.beginning(of: data) : data, data.count)
    case .file: source = body
    // What opens the stream may hold a whole picture, or an object of the app.
    case .stream(let stream): source = .stream(RequestBodyStream(length: stream.length) { { nil } })
    }
  }

  /// A copy: a slice would keep the whole.
  private static func beginning(of data: Data) -> Data {
    var end = KeptMessages.most
    // Back to the first byte of a character.
    while end > KeptMessages.most - 3, data[data.startIndex + end] & 0xC0 == 0x80 { end -= 1 }
    return Data(data.prefix(end))
  }
}
