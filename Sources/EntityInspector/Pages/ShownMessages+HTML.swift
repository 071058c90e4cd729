extension ShownMessages {
  var html: HTML {
    let command: HTML? = curl.map { "<h2>As a command</h2><pre id=\"curl\">\($0)</pre>" }
    return """
      <h2>Request</h2>\(request.html)<h2>Response</h2>\(response?.html ?? .note("No response, or a streamed one."))\(command)
      """
  }
}

extension ShownMessages.Message {
  fileprivate var html: HTML {
    let fields: HTML = .facts(headers.map { ($0.name, $0.value) })
    return """
      <details class="fields"><summary>header fields <small>\(headers.count)</small></summary>\(fields)</details>\(body.html)
      """
  }
}

extension ShownBody {
  private static let mostCharacters = 20_000

  fileprivate var html: HTML {
    if let json { return JSONTree.html(json) }
    guard let text else { return .note(note ?? "no body") }
    let shown = String(text.prefix(Self.mostCharacters))
    let cut: HTML? =
      isCut || shown.utf8.count < text.utf8.count
      ? .note("This is the beginning\(size.map { " of \($0) bytes" } ?? "").") : nil
    return "<pre>\(shown)</pre>\(cut)"
  }
}
