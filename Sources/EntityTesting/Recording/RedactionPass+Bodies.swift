import Foundation

/// Bodies: forms, forms with files, JSON, and texts.
extension RedactionPass {
  /// - Parameter type: The value of `Content-Type`.
  mutating func body(_ body: Data, type: String?) -> Data {
    let type = type ?? ""
    if let boundary = Self.boundary(in: type) { return without(parts(body, boundary)) }
    guard let text = String(validating: body, as: UTF8.self) else { return without(body) }
    if type.lowercased().hasPrefix("application/x-www-form-urlencoded") { return Data(without(form(text)).utf8) }
    return Self.isJSON(text, type.lowercased()) ? Data(json(Array(text.utf8))) : Data(self.text(text).utf8)
  }

  /// Whether a body is JSON, or has some.
  private static func isJSON(_ text: String, _ type: String) -> Bool {
    if type.contains("json") || type.hasPrefix("text/event-stream") { return true }
    // White space and a byte order mark may stand before it.
    let first = text.utf8.first { ![0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
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
    let lineEnd = Data("\r\n".utf8)
    guard let end = part.range(of: lineEnd + lineEnd),
      let head = String(validating: part[..<end.lowerBound], as: UTF8.self)
    else { return part }
    var content = part[end.upperBound...]
    let isEnded = content.suffix(2) == lineEnd
    if isEnded { content = content.dropLast(2) }
    let found: Data
    if let name = head.firstMatch(of: /name="([^"]*)"/)?.output.1, names.contain([String(name)]), !content.isEmpty {
      note(String(decoding: content, as: UTF8.self))
      found = Data(RecordingRedaction.mark.utf8)
    } else {
      let field = head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix("content-type:") }
      let type = field.map { $0.dropFirst("content-type:".count).trimmingCharacters(in: .whitespaces) }
      found = body(Data(content), type: type)
    }
    return part[..<end.upperBound] + found + (isEnded ? lineEnd : Data())
  }

  static func boundary(in type: String) -> String? {
    guard type.lowercased().hasPrefix("multipart/"), let start = type.range(of: "boundary=", options: .caseInsensitive)
    else { return nil }
    let text = type[start.upperBound...].prefix { $0 != ";" }.trimmingCharacters(in: ["\"", " "])
    return text.isEmpty ? nil : text
  }
}
