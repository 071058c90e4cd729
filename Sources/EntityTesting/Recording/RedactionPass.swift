import EntityRequests
import Foundation

/// One way through interactions, which marks the secrets that it finds by their names, and notes them. A second way takes the
/// noted ones out of all texts, in which a server may repeat them.
struct RedactionPass {
  let names: SecretNames
  private var noted: Set<String> = []
  /// The longest first: one may begin with another.
  private var taken: [String] = []

  init(names: SecretNames) { self.names = names }

  mutating func interaction(_ interaction: RecordedInteraction) -> RecordedInteraction {
    var found = request(interaction)
    switch interaction.outcome {
    case .success(var response):
      response.body = body(response.body, type: response.headers["Content-Type"])
      response.headers = responseHeaders(response.headers)
      response.url = nil
      found.outcome = .success(response)
    case .failure(let error):
      found.outcome = .failure(
        TransportError(
          error.kind, text(error.message), code: error.code, mayHaveBeenProcessed: error.mayHaveBeenProcessed,
          metrics: error.metrics))
    }
    return found
  }

  mutating func request(_ interaction: RecordedInteraction) -> RecordedInteraction {
    var found = interaction
    found.url = text(found.url)
    found.body = body(found.body, type: found.headers["Content-Type"])
    found.headers = requestHeaders(found.headers)
    return found
  }

  // MARK: Secrets

  /// Shorter ones stand in texts by chance.
  mutating func note(_ secret: String) {
    if secret.utf8.count >= 8, secret != RecordingRedaction.mark { noted.insert(secret) }
  }

  /// From now on the secrets that were noted so far are taken out.
  mutating func takeOutWhatWasNoted() {
    taken = Set(noted.flatMap { [$0, PercentEncoding.component($0)] })
      .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
  }

  /// Whether a value tells nothing, whatever its name is.
  static func isEmpty(_ value: String) -> Bool { ["", "true", "false"].contains(value.lowercased()) }

  /// A text without the secrets in its URLs, and without those that are taken out.
  mutating func text(_ text: String) -> String { without(urls(text)) }

  func without(_ text: String) -> String {
    guard text.utf8.count >= 8 else { return text }
    return taken.reduce(text) { $0.replacing($1, with: RecordingRedaction.mark) }
  }

  /// Bytes that are no text.
  func without(_ data: Data) -> Data {
    let mark = Data(RecordingRedaction.mark.utf8)
    return taken.reduce(data) { data, secret in
      let secret = Data(secret.utf8)
      var result = Data()
      var rest = data[...]
      while let found = rest.range(of: secret) {
        result += rest[..<found.lowerBound] + mark
        rest = rest[found.upperBound...]
      }
      return result.isEmpty ? data : result + rest
    }
  }

  // MARK: URLs

  /// A text whose URLs have no user info, and no secret in their queries and fragments.
  private mutating func urls(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") })
    else { return text }
    // Quotes, brackets and spaces end a URL: a `Link` has several.
    return text.replacing(/:\/\/([^\/?#\s<>"]+)@|([?#])([^#\s<>"]+)/) { match -> String in
      if let user = match.output.1 {
        for part in user.split(separator: ":").map(String.init) {
          note(part)
          note(part.removingPercentEncoding ?? part)
        }
        return "://\(RecordingRedaction.mark)@"
      }
      return "\(match.output.2 ?? "")\(form(String(match.output.3 ?? "")))"
    }
  }

  /// Fields as queries and forms have them.
  mutating func form(_ text: String) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map { field -> String in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !Self.isEmpty(parts[1]),
        names.contain([parts[0].removingPercentEncoding ?? parts[0]], isNumber: Double(parts[1]) != nil)
      else { return String(field) }
      note(parts[1])
      note(parts[1].removingPercentEncoding ?? parts[1])
      return "\(parts[0])=\(RecordingRedaction.mark)"
    }.joined(separator: "&")
  }

  // MARK: Header fields

  private mutating func requestHeaders(_ headers: HTTPHeaders) -> HTTPHeaders {
    self.headers(headers) { names, name, value in
      if names.containRequestField(name) { return .secret }
      return HeaderField.shown(name, value) == value ? .text : .hidden
    }
  }

  private mutating func responseHeaders(_ headers: HTTPHeaders) -> HTTPHeaders {
    self.headers(headers) { names, name, value in
      names.contain([name], isNumber: Double(value) != nil) && !Self.isEmpty(value) ? .secret : .text
    }
  }

  private enum FieldKind {
    /// Its value is a secret elsewhere, too.
    case secret
    /// Its value may be one.
    case hidden
    case text
  }

  private mutating func headers(
    _ headers: HTTPHeaders, _ kind: (SecretNames, String, String) -> FieldKind
  ) -> HTTPHeaders {
    var result = HTTPHeaders()
    for (name, value) in headers {
      switch kind(names, name, value) {
      case .secret:
        note(value, of: name)
        result.add(RecordingRedaction.mark, to: name)
      case .hidden:
        result.add(RecordingRedaction.mark, to: name)
      case .text:
        if name.lowercased() == "content-type", let boundary = Self.boundary(in: value) {
          result.add(value.replacing(boundary, with: "boundary"), to: name)
        } else {
          result.add(text(value), to: name)
        }
      }
    }
    return result
  }

  private mutating func note(_ value: String, of name: String) {
    switch name.lowercased() {
    case "set-cookie": noteCookie(value.prefix { $0 != ";" })
    case "cookie": for pair in value.split(separator: ";") { noteCookie(pair) }
    default:
      // `Bearer abc`: the scheme tells nothing.
      for part in [value] + value.split(separator: " ").dropFirst().map(String.init) { note(part) }
    }
  }

  private mutating func noteCookie(_ pair: Substring) {
    guard let sign = pair.firstIndex(of: "=") else { return }
    note(pair[pair.index(after: sign)...].trimmingCharacters(in: [" ", "\""]))
  }
}
