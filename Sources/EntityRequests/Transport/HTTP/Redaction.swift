import Foundation

// Texts of requests and responses as a log shows them: nothing that may be a secret.

extension HeaderField {
  /// The fields whose values are never secret. A secret may have any name, so all other values are hidden.
  private static let harmless: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control",
    "connection", "content-digest", "content-encoding", "content-language", "content-length", "content-range",
    "content-type", "date", "etag", "expect", "expires", "host", "if-match", "if-modified-since", "if-none-match",
    "if-range", "if-unmodified-since", "keep-alive", "last-modified", "pragma", "prefer", "preference-applied", "range",
    "retry-after", "server", "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
    "vary", "via",
  ]

  /// The value of a field in messages; `…` for a value that may be a secret.
  package static func shown(_ name: String, _ value: String) -> String {
    switch name.lowercased() {
    case "location", "content-location": URL(string: value).map { $0.scheme == nil ? "…" : $0.shown } ?? "…"
    case let name where harmless.contains(name): value
    default: "…"
    }
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
  /// The fields in order; `…` for each value that may be a secret.
  public var description: String {
    "[" + map { "\($0.name): \(HeaderField.shown($0.name, $0.value))" }.joined(separator: ", ") + "]"
  }

  public var customMirror: Mirror {
    Mirror(self, children: map { (label: $0.name, value: HeaderField.shown($0.name, $0.value)) })
  }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
  /// Status, URL without the query's values, the size of the body, and the headers without values that may be secrets.
  public var description: String {
    "status \(status)\(url.map { " from \($0.shown)" } ?? ""), \(body.count) bytes, \(headers)"
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StreamedHTTPResponse: CustomStringConvertible, CustomReflectable {
  /// Status, URL without the query's values, and the headers without values that may be secrets.
  public var description: String { "status \(status)\(url.map { " from \($0.shown)" } ?? ""), streamed, \(headers)" }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
  /// The kind, and the size if it is known.
  public var description: String {
    switch self {
    case .none: "no body"
    case .data(let data): "\(data.count) bytes"
    case .file(let url): "the file \(url.lastPathComponent)"
    case .stream(let stream): "a stream\(stream.length.map { " of \($0) bytes" } ?? "")"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestError: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
