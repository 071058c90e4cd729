import Foundation

extension HTTPResponse {
  /// The URL in the header `Location`.
  ///
  /// - Parameter requested: The URL of the request, for a response that does not say which URL answered.
  func location(from requested: URL?) -> URL? {
    guard let text = headers["Location"]?.trimmingCharacters(in: .whitespaces), !text.isEmpty,
      let url = URL(string: text, relativeTo: self.url ?? requested)?.absoluteURL, url.scheme != nil
    else { return nil }
    return url
  }

  /// The URL of the resource that a POST made. Status 202 says that nothing is done yet, and its `Location` is mostly
  /// the URL of a task (RFC 9110 §15.3.3). Some servers answer a creation with 200 or 204 (OData 4.01 §8.3.3).
  func locationOfNew(from requested: URL?) -> URL? {
    [200, 201, 204].contains(status) ? location(from: requested) : nil
  }
}
