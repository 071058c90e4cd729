package import HTTPFoundation

/// The request and the response of an exchange as they went, with their secrets, which the description leaves out. Code
/// that shows more takes the secrets out first.
package struct ExchangeMessages: Sendable, CustomStringConvertible, CustomReflectable {
  /// As the exchange handed it to its adapter. Decorators may have added credentials.
  package let request: URLRequest
  /// `nil` without a response, and for a streamed one.
  package let response: HTTPResponse?

  package init(_ request: URLRequest, _ response: HTTPResponse?) { (self.request, self.response) = (request, response) }

  package var description: String {
    "\(request.httpMethod ?? "GET") \(request.url?.shown ?? "no URL"): \(response?.description ?? "no response")"
  }

  package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
