import EntityStore
package import HTTPFoundation

/// A request as the tool `curl` sends it.
package struct CurlCommand {
  package let text: String

  /// - Parameters:
  ///   - request: The request; its body does not count.
  ///   - body: The body, or the beginning of it.
  ///   - showsSecrets: Whether credentials, values of the query and the body are in it.
  ///   - size: The bytes of the whole body; `nil` where `body` is the whole.
  package init(_ request: URLRequest, _ body: RequestBody, showsSecrets: Bool, size: Int? = nil) {
    // With these options the tool takes brackets and braces in a URL as they are, and dots in its path.
    var words = ["curl", "-g", "--path-as-is"]
    let method = request.httpMethod ?? "GET"
    if method == "HEAD" { words.append("-I") } else { words += ["-X", Self.quoted(method)] }
    let url = showsSecrets ? request.url?.absoluteString : request.url?.shown
    words.append(Self.quoted(url ?? ""))
    for (name, value) in HTTPHeaders(request) {
      let value = showsSecrets ? value : HeaderField.shown(name, value)
      // The tool leaves out a field with a colon and no value. A semicolon stands for a field without value.
      words += ["-H", Self.quoted(value.isEmpty ? "\(name);" : "\(name): \(value)")]
    }
    let bodyWords = Self.words(body, showsSecrets, size)
    // Otherwise the tool would declare the body to be a form.
    if !bodyWords.isEmpty, request.value(forHTTPHeaderField: "Content-Type") == nil {
      words += ["-H", Self.quoted("Content-Type:")]
    }
    words += bodyWords
    text = words.joined(separator: " ")
  }

  private static func words(_ body: RequestBody, _ showsSecrets: Bool, _ size: Int?) -> [String] {
    switch body {
    case .none: []
    case .data(let data):
      if showsSecrets, size == nil, data.count <= 65_536, let text = String(data: data, encoding: .utf8),
        !text.contains("\0")
      {
        // In `--data-binary` an `@` would name a file.
        ["--data-raw", quoted(text)]
      } else {
        ["--data-raw", quoted("…\(size ?? data.count) bytes…")]
      }
    case .file(let url): ["--data-binary", quoted("@\(showsSecrets ? url.path : url.lastPathComponent)")]
    // From the standard input.
    case .stream: ["--data-binary", "@-"]
    }
  }

  /// The text as one word of a POSIX shell, in which no character has a meaning of its own.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing(scalar: "'", with: "'\\''") + "'"
  }
}
