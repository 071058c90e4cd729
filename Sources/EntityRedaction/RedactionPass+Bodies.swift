import EntityJSON
import EntityRequests
package import Foundation

/// Bodies: forms, forms with files, JSON, XML, and texts.
extension RedactionPass {
  /// - Parameter type: The value of `Content-Type`.
  package mutating func body(_ body: Data, type: String?) -> Data {
    let type = type ?? ""
    if let boundary = Self.boundary(in: type) { return without(parts(body, boundary)) }
    guard let text = String(validating: body, as: UTF8.self) else { return without(body) }
    let name = type.prefix { $0 != ";" }.lowercased()
    if name.hasPrefix("application/x-www-form-urlencoded") { return Data(without(form(text)).utf8) }
    if name.contains("json") || name.hasPrefix("text/event-stream") || Self.isJSON(text) {
      return Data(json(text).utf8)
    }
    let isXML = name.hasSuffix("xml") || name.hasSuffix("html") || Self.isTag(text.trimmingPrefix("\u{FEFF}"))
    return Data((isXML ? xml(text) : value(text)).utf8)
  }

  private static func isJSON(_ text: String) -> Bool {
    let first = text.utf8.first { ![0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// JSON, or a text with some JSON in it.
  mutating func json(_ text: String) -> String {
    let found = String(decoding: json(Array(text.utf8)), as: UTF8.self)
    // The text between pieces of JSON may have URLs. In pure JSON, a number would lose its form.
    return (try? JSONValue(parsing: Data(text.utf8))) == nil ? self.text(found) : found
  }

  /// The parts of a form with files (RFC 7578). The boundary differs each time, and is replaced by a fixed one.
  private mutating func parts(_ body: Data, _ boundary: String) -> Data {
    var result = Data()
    var rest = body[...]
    let delimiter = Data("--\(boundary)".utf8)
    while let next = rest.range(of: delimiter) {
      result += part(rest[..<next.lowerBound]) + Data("--boundary".utf8)
      rest = rest[next.upperBound...]
    }
    // A form that is cut has its last part here.
    return result + part(rest)
  }

  private mutating func part(_ part: Data) -> Data {
    guard let head = Self.head(of: part) else { return part }
    var content = part[head.end...]
    let lineEnd = ["\r\n", "\n"].map { Data($0.utf8) }.first { content.suffix($0.count) == $0 } ?? Data()
    content = content.dropLast(lineEnd.count)
    let found: Data
    if Self.names(of: head.text).contains(where: { names.contain([$0]) }), !content.isEmpty {
      note(String(decoding: content, as: UTF8.self))
      found = Data(RedactionPass.mark.utf8)
    } else {
      found = body(Data(content), type: Self.field("content-type", of: head.text))
    }
    return part[..<head.end] + found + lineEnd
  }

  /// The fields of a part, and the place where its content begins. Some senders end lines with a line feed alone.
  private static func head(of part: Data) -> (text: String, end: Int)? {
    for lineEnd in ["\r\n\r\n", "\n\n"] {
      guard let end = part.range(of: Data(lineEnd.utf8)) else { continue }
      // A field may be in any character set, but its names are ASCII.
      return (String(decoding: part[..<end.lowerBound], as: UTF8.self), end.upperBound)
    }
    return nil
  }

  /// The value of a field of a part. A line that begins with a blank continues the field (RFC 5322 §2.2.3).
  private static func field(_ name: String, of head: String) -> String? {
    let lines = head.replacing("\r\n", with: "\n").replacing(/\n[ \t]+/, with: " ").split(whereSeparator: \.isNewline)
    let line = lines.first { $0.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces).lowercased() == name }
    return line.map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
  }

  /// The names of a part in a form (RFC 7578 §4.2), also as `name*=UTF-8''…` (RFC 5987 §3.2), and in the encoding of
  /// browsers.
  private static func names(of head: String) -> [String] {
    guard let field = field("content-disposition", of: head) else { return [] }
    let start = field.firstIndex(of: ";") ?? field.endIndex
    return HeaderParameters.parse(start, in: field).filter { ["name", "name*"].contains($0.name) }.map { parameter in
      let value = parameter.name == "name*" ? String(parameter.value.split(separator: "'").last ?? "") : parameter.value
      return value.removingPercentEncoding ?? value
    }
  }

  static func boundary(in type: String) -> String? {
    guard type.lowercased().hasPrefix("multipart/"), let start = type.firstIndex(of: ";") else { return nil }
    let boundary = HeaderParameters.parse(start, in: type).first { $0.name == "boundary" }?.value
    return boundary.flatMap { $0.isEmpty ? nil : $0 }
  }
}
