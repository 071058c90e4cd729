import EntityJSON
import EntityRequests
package import Foundation

/// Bodies: forms, forms with files, JSON, XML, and texts.
extension RedactionPass {
  /// A body without its secrets. One that its type or its first character calls a text, and that is none, is replaced by its size
  /// and its type: nobody can look for secrets in it.
  ///
  /// - Parameter type: The value of `Content-Type`.
  package mutating func body(_ body: Data, type: String?) -> Data {
    let type = type ?? ""
    let name = type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    let isNotice = Self.isNotice(body)
    if isNotice { notices += 1 }
    guard !body.isEmpty, !isNotice else { return body }
    if name.hasPrefix("multipart/") {
      guard depth < Self.deepest, let boundary = Self.boundary(in: type),
        body.range(of: Data("--\(boundary)".utf8)) != nil
      else { return Self.notice(body, name) }
      return without(parts(body, boundary))
    }
    let utf8 = try? TextRecoding.utf8(body, contentType: type)
    guard let utf8, !utf8.contains(0), let text = String(validating: utf8, as: UTF8.self) else {
      return Self.isText(name) || Self.beginsAsText(body) ? Self.notice(body, name) : without(body)
    }
    if name == "application/http" || name == "message/http" { return Data(message(text).utf8) }
    let found = read(text, name)
    if found == text { return body }
    return TextRecoding.bytes(of: found, as: body, contentType: type) ?? Self.notice(body, name)
  }

  /// - Parameter name: The content type without its parameters.
  private mutating func read(_ text: String, _ name: String) -> String {
    let content = text.trimmingPrefix("\u{FEFF}").drop(while: \.isWhitespace)
    let isTag = Self.isTag(content)
    if name.hasPrefix("application/x-www-form-urlencoded") {
      // The tool `curl` declares each body to be a form.
      return isTag || isJSON(content) ? value(text) : without(form(text))
    }
    let isJSON = Self.isJSON(name) || isJSON(content)
    guard isJSON || isTag || Self.isXML(name) else { return value(text) }
    // The type may call JSON what is XML, and the other way round.
    let found = isJSON ? json(text) : text
    return isTag || Self.isXML(name) ? xml(found) : found
  }

  private static func isJSON(_ name: String) -> Bool {
    name.contains("json") || name.contains("javascript") || name.hasPrefix("text/event-stream")
  }

  private static func isXML(_ name: String) -> Bool { name.hasSuffix("xml") || name.hasSuffix("html") }

  private static func isText(_ name: String) -> Bool {
    isJSON(name) || isXML(name) || name.hasPrefix("text/") || name.hasPrefix("application/x-www-form-urlencoded")
  }

  /// Whether bytes begin as JSON or XML does, in any charset. Bytes of another kind rarely go on with nothing but characters.
  private static func beginsAsText(_ body: Data) -> Bool {
    var start = Array(body.prefix(64))
    for mark in [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]] as [[UInt8]] where start.starts(with: mark) {
      start.removeFirst(mark.count)
    }
    // The halves of ASCII in UTF-16.
    if start.count > 3, start[0] == 0 && start[2] == 0 || start[1] == 0 && start[3] == 0 { start.removeAll { $0 == 0 } }
    let isBlank: (UInt8) -> Bool = { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
    guard let first = start.first(where: { !isBlank($0) }), "{[<".utf8.contains(first) else { return false }
    return start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || isBlank($0) }
  }

  /// A request or a response, as a part of a batch has it (RFC 9112 §10): a first line, fields, and a body.
  private mutating func message(_ text: String) -> String {
    // By bytes: the end of a line is one character.
    let lines = Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false)
    var result: [UInt8] = []
    var type: String?
    for (number, line) in lines.enumerated() {
      if number > 0 { result.append(0x0A) }
      let field = line.last == 0x0D ? line.dropLast() : line
      if number > 0, field.isEmpty {
        result += line
        guard number + 1 < lines.count else { break }
        result.append(0x0A)
        result += body(Data(lines[(number + 1)...].joined(separator: [0x0A])), type: type)
        break
      }
      let parts = String(decoding: field, as: UTF8.self).split(separator: ":", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard number > 0, parts.count == 2 else {
        result += self.text(String(decoding: line, as: UTF8.self)).utf8
        continue
      }
      if parts[0].lowercased() == "content-type" { type = parts[1] }
      var headers = HTTPHeaders()
      headers.add(parts[1], to: parts[0])
      let shown = text.hasPrefix("HTTP/") ? responseHeaders(headers) : requestHeaders(headers)
      result += "\(parts[0]): \(shown[parts[0]] ?? RedactionPass.mark)".utf8 + line.dropFirst(field.count)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func notice(_ body: Data, _ name: String) -> Data {
    Data("\(body.count) bytes that are no text: \(name.isEmpty ? "?" : name)".utf8)
  }

  /// Whether a body was replaced by its size and its type. A replay redacts a recording once more.
  package static func isNotice(_ body: Data) -> Bool {
    body.count < 200
      && String(decoding: body, as: UTF8.self).wholeMatch(of: /[0-9]+ bytes that are no text: \S+/) != nil
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
    depth += 1
    defer { depth -= 1 }
    guard let head = Self.head(of: part) else { return body(Data(part), type: nil) }
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
    let ends = ["\r\n\r\n", "\n\n", "\n\r\n"].compactMap { part.range(of: Data($0.utf8)) }
    // A field may be in any character set, but its names are ASCII.
    return ends.min { $0.upperBound < $1.upperBound }.map { end in
      (String(decoding: part[..<end.lowerBound], as: UTF8.self), end.upperBound)
    }
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
      return DecodedView.text(value, undoing: .percent)
    }
  }

  static func boundary(in type: String) -> String? {
    guard type.lowercased().hasPrefix("multipart/"), let start = type.firstIndex(of: ";") else { return nil }
    let boundary = HeaderParameters.parse(start, in: type).first { $0.name == "boundary" }?.value
    return boundary.flatMap { $0.isEmpty ? nil : $0 }
  }
}
