import EntityJSON
import EntityRedaction
import EntityRequests
import Foundation
import HTTPFoundation

/// The request and the response of an exchange without their secrets, as recordings have them: see `RedactionPass`.
struct ShownMessages: Encodable {
  struct Message: Encodable {
    let headers: [Field]
    let body: ShownBody
  }

  struct Field: Encodable {
    let name: String
    let value: String
  }

  let request: Message
  let response: Message?
  /// The request for the tool `curl`; `nil` for a request without a URL.
  let curl: String?

  init(_ messages: KeptMessages) {
    var pass = RedactionPass()
    let first = ShownMessages(messages, &pass)
    pass.takeOutWhatWasNoted()
    // A second pass takes the secrets out where no name tells them. It takes longer, and mostly there are none.
    let isClean = first.texts.allSatisfy { pass.without($0) == $0 }
    self = isClean ? first : ShownMessages(messages, &pass)
  }

  private var texts: [String] {
    [request, response].compactMap(\.self).flatMap { $0.headers.map(\.value) + [$0.body.text ?? ""] } + [curl ?? ""]
  }

  private init(_ messages: KeptMessages, _ pass: inout RedactionPass) {
    let headers = HTTPHeaders(messages.request)
    let shown = pass.requestHeaders(headers)
    let body = Self.body(messages.requestBody, headers, &pass)
    request = Message(headers: Self.fields(shown), body: ShownBody(body, shown["Content-Type"]))
    curl = messages.request.url.flatMap { URL(string: pass.text($0.absoluteString)) }.map { url in
      var sent = URLRequest(url: url)
      sent.httpMethod = messages.request.httpMethod
      for (name, value) in shown { sent.addValue(value, forHTTPHeaderField: name) }
      let content = body.source ?? (body.start.isEmpty ? RequestBody.none : .data(body.start))
      return CurlCommand(sent, content, showsSecrets: true, size: body.isCut ? body.size : nil).text
    }
    response = messages.responseHeaders.map { headers in
      let shown = pass.responseHeaders(headers)
      let body = Self.body(messages.responseBody, headers, &pass)
      return Message(headers: Self.fields(shown), body: ShownBody(body, shown["Content-Type"]))
    }
  }

  /// The same body without secrets. Its size stays that of the body.
  private static func body(
    _ body: KeptMessages.Body, _ headers: HTTPHeaders, _ pass: inout RedactionPass
  ) -> KeptMessages.Body {
    var found = body
    found.start = pass.body(body.start, type: headers["Content-Type"])
    // Bytes of the same number that are no text either.
    if RedactionPass.isNotice(found.start) { found.start = Data(count: body.start.count) }
    return found
  }

  private static func fields(_ headers: HTTPHeaders) -> [Field] {
    headers.map { Field(name: $0.name, value: $0.value) }
  }
}

/// A body, as far as a person can read it.
struct ShownBody: Encodable {
  /// The text; `nil` for no body, and for one that is no text.
  let text: String?
  /// The bytes of the whole body; `nil` where nobody knows.
  let size: Int?
  /// Whether the text is the beginning of the body.
  let isCut: Bool
  /// In words, where there is no text.
  let note: String?
  /// An array or an object; `nil` for any other text.
  let json: JSONValue?

  enum CodingKeys: String, CodingKey { case text, size, isCut, note }

  fileprivate init(_ body: KeptMessages.Body, _ type: String?) {
    // Strictly: secrets are only looked for in a text that is UTF-8 as a whole.
    let isText = !body.start.isEmpty && !body.start.contains(0)
    let text = isText ? String(validating: body.start, as: UTF8.self) : nil
    (size, isCut, self.text) = (body.size, body.isCut, text)
    if let source = body.source {
      note = "\(source)"
    } else if body.start.isEmpty {
      note = "no body"
    } else {
      note =
        text == nil ? "\(body.size ?? body.start.count) bytes that are no text\(type.map { ": \($0)" } ?? "")" : nil
    }
    let value = body.isCut ? nil : text.flatMap { try? JSONValue(parsing: Data($0.utf8)) }
    json = value.flatMap { [.array, .object].contains($0.kind) ? $0 : nil }
  }
}
