import EntityJSON
import EntityRequests
import Foundation

/// Takes the secrets out of a recording before it is written, and out of requests before they are compared with it.
///
/// The values of header fields, parameters of queries and forms, and keys of JSON are secrets where their name says so, as
/// `Authorization`, `access_token` and `clientSecret` do; so is the user info of a URL. Such a value is taken out wherever
/// else it stands in the interaction, too.
public struct RecordingRedaction: Sendable {
  /// Stands in place of a secret.
  public static let mark = "REDACTED"

  private let names: Set<String>
  private let change: @Sendable (inout RecordedInteraction) -> Void

  /// The redaction of names that are usually secret.
  public static let standard = RecordingRedaction()

  /// The redaction of names that are usually secret, and more.
  ///
  /// - Parameters:
  ///   - names: Other names whose values are secrets, upper and lower case alike.
  ///   - change: Changes an interaction after the names were seen to. It is called for requests to be compared as well,
  ///     so it depends on the interaction alone.
  public init(
    names: [String] = [], _ change: @escaping @Sendable (inout RecordedInteraction) -> Void = { _ in }
  ) {
    self.names = Set(names.map { $0.lowercased() })
    self.change = change
  }

  func redacted(_ interaction: RecordedInteraction) -> RecordedInteraction {
    var found = interaction
    var pass = RedactionPass(names: names)
    found.url = pass.url(found.url)
    found.body = pass.body(found.body, found.headers)
    found.headers = pass.headers(found.headers)
    if case .success(var response) = found.outcome {
      response.body = pass.body(response.body, response.headers)
      response.headers = pass.headers(response.headers)
      response.url = nil
      found.outcome = .success(response)
    }
    pass.takeOut(of: &found)
    change(&found)
    return found
  }
}

/// One way through an interaction, which notes the secrets that it finds.
private struct RedactionPass {
  let names: Set<String>
  private(set) var secrets: Set<String> = []

  init(names: Set<String>) { self.names = names }

  private func isSecret(_ name: String) -> Bool { SecretNames.contain(name, names) }

  /// Shorter ones stand in texts by chance.
  private mutating func note(_ secret: String) { if secret.utf8.count >= 8 { secrets.insert(secret) } }

  mutating func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
    var result = HTTPHeaders()
    for (name, value) in headers {
      if isSecret(name) {
        // `Bearer abc`: the scheme tells nothing.
        for part in [value] + value.split(separator: " ").dropFirst().map(String.init) { note(part) }
        result.add(RecordingRedaction.mark, to: name)
      } else if name.lowercased() == "content-type", let boundary = Self.boundary(in: value) {
        result.add(value.replacing(boundary, with: "boundary"), to: name)
      } else {
        result.add(Self.isURL(value) ? url(value) : value, to: name)
      }
    }
    return result
  }

  private static func isURL(_ text: String) -> Bool { text.contains("?") || text.contains("://") }

  mutating func url(_ text: String) -> String {
    var text = text
    if let start = text.range(of: "://")?.upperBound,
      let at = text[start...].prefix(while: { !"/?#".contains($0) }).lastIndex(of: "@")
    {
      for part in text[start..<at].split(separator: ":") { note(String(part)) }
      text.replaceSubrange(start..<at, with: RecordingRedaction.mark)
    }
    guard let mark = text.firstIndex(of: "?") else { return text }
    let query = text[text.index(after: mark)...]
    let end = query.firstIndex(of: "#") ?? query.endIndex
    return "\(text[...mark])\(form(String(query[..<end])))\(query[end...])"
  }

  /// Fields as queries and forms have them.
  private mutating func form(_ text: String) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map { field -> String in
      let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, isSecret(parts[0].removingPercentEncoding ?? parts[0]) else { return String(field) }
      note(parts[1])
      note(parts[1].removingPercentEncoding ?? parts[1])
      return "\(parts[0])=\(RecordingRedaction.mark)"
    }.joined(separator: "&")
  }

  mutating func body(_ body: Data, _ headers: HTTPHeaders) -> Data {
    let type = headers["Content-Type"]?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded"), let text = String(validating: body, as: UTF8.self) {
      return Data(form(text).utf8)
    }
    if let boundary = Self.boundary(in: headers["Content-Type"] ?? "") { return parts(body, boundary) }
    guard let json = try? JSONValue(parsing: body), json.object != nil || json.array != nil, let found = value(json)
    else { return body }
    return found.rawBytes
  }

  /// JSON without secrets; `nil` where it has none, so that it stays as it was written.
  ///
  /// `JSONValue` has a `nil` of its own, so no comparison with `nil` stands here.
  private mutating func value(_ json: JSONValue) -> JSONValue? {
    var isChanged = false
    if let object = json.object {
      var fields: [(String, JSONValue)] = []
      for (key, field) in object {
        let isText = field.string != nil
        if isSecret(key), isText || field.lexeme != nil {
          note(field.string ?? field.lexeme ?? "")
          fields.append((key, isText ? JSONValue(RecordingRedaction.mark) : JSONValue(0)))
          isChanged = true
        } else if let changed = value(field) {
          fields.append((key, changed))
          isChanged = true
        } else {
          fields.append((key, field))
        }
      }
      if isChanged { return JSONObject(fields: fields).value }
    } else if let array = json.array {
      var elements: [JSONValue] = []
      for element in array {
        if let changed = value(element) {
          elements.append(changed)
          isChanged = true
        } else {
          elements.append(element)
        }
      }
      if isChanged { return JSONValue(elements) }
    }
    return Optional.none
  }

  /// The parts of a form with files (RFC 7578). The boundary is another one each time, and is made the same.
  private mutating func parts(_ body: Data, _ boundary: String) -> Data {
    var result = Data()
    var rest = body[...]
    let delimiter = Data("--\(boundary)".utf8)
    while let next = rest.range(of: delimiter) {
      result += part(rest[..<next.lowerBound]) + Data("--boundary".utf8)
      rest = rest[next.upperBound...]
    }
    return result + rest
  }

  private mutating func part(_ part: Data) -> Data {
    guard let end = part.range(of: Data("\r\n\r\n".utf8)),
      let head = String(validating: part[..<end.lowerBound], as: UTF8.self),
      let name = head.firstMatch(of: /name="([^"]*)"/)?.output.1, isSecret(String(name))
    else { return part }
    let value = String(decoding: part[end.upperBound...], as: UTF8.self)
    note(value.hasSuffix("\r\n") ? String(value.dropLast()) : value)
    return part[..<end.upperBound] + Data("\(RecordingRedaction.mark)\r\n".utf8)
  }

  private static func boundary(in type: String) -> String? {
    guard type.lowercased().hasPrefix("multipart/"), let start = type.range(of: "boundary=", options: .caseInsensitive)
    else { return nil }
    let text = type[start.upperBound...].prefix { $0 != ";" }.trimmingCharacters(in: ["\"", " "])
    return text.isEmpty ? nil : text
  }

  /// Takes the secrets that were found out of all texts, in which a server may repeat them.
  func takeOut(of interaction: inout RecordedInteraction) {
    // A longer secret may begin with a shorter one.
    for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where secret != RecordingRedaction.mark {
      for form in Set([secret, PercentEncoding.component(secret)]) {
        interaction.url = interaction.url.replacing(form, with: RecordingRedaction.mark)
        interaction.headers = Self.headers(interaction.headers, without: form)
        interaction.body = Self.bytes(interaction.body, without: form)
        if case .success(var response) = interaction.outcome {
          response.headers = Self.headers(response.headers, without: form)
          response.body = Self.bytes(response.body, without: form)
          interaction.outcome = .success(response)
        }
      }
    }
  }

  private static func headers(_ headers: HTTPHeaders, without secret: String) -> HTTPHeaders {
    var result = HTTPHeaders()
    for (name, value) in headers { result.add(value.replacing(secret, with: RecordingRedaction.mark), to: name) }
    return result
  }

  private static func bytes(_ data: Data, without secret: String) -> Data {
    let (secret, mark) = (Data(secret.utf8), Data(RecordingRedaction.mark.utf8))
    guard var found = data.range(of: secret) else { return data }
    var data = data
    while true {
      data.replaceSubrange(found, with: mark)
      let rest = (found.lowerBound + mark.count)..<data.endIndex
      guard let next = data.range(of: secret, in: rest) else { return data }
      found = next
    }
  }
}
