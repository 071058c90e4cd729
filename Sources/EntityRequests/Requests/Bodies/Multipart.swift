import Foundation

/// The `multipart/form-data` format (RFC 7578, over RFC 2046 §5.1).
enum Multipart {
  static let mediaType = "multipart/form-data"

  /// The body of some parts.
  ///
  /// - Parameter boundary: Makes boundaries. A boundary that stands in the data in memory is not taken.
  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  static func body(
    of parts: [MultipartPart], boundary make: () -> String
  ) throws -> (content: BodyContent, contentType: String) {
    var boundary = make()
    while parts.contains(where: { $0.mayHold(boundary) }) { boundary = make() }
    var content = BodyContent()
    var text = Data()
    for part in parts {
      text.append(contentsOf: "--\(boundary)\r\n".utf8)
      text.append(contentsOf: try head(of: part).utf8)
      switch part.content {
      case .data(let data): text.append(data)
      case .file(let url):
        content.append(text)
        text = Data()
        do {
          try content.append(contentsOf: url)
        } catch let error as BodyFileError {
          throw RequestError(.invalidRequest, error.message)
        }
      }
      text.append(contentsOf: "\r\n".utf8)
    }
    text.append(contentsOf: "--\(boundary)--\r\n".utf8)
    content.append(text)
    return (content, "\(mediaType); boundary=\(boundary)")
  }

  /// 128 random bits, which no file has by chance, in characters of RFC 2046 §5.1.1 that need no quotes.
  static func randomBoundary() -> String {
    var random = SystemRandomNumberGenerator()
    let digits = [random.next() as UInt64, random.next()].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return "----EntityClient-" + digits.joined()
  }

  private static func head(of part: MultipartPart) throws -> String {
    var head = "Content-Disposition: form-data; name=\"\(escaped(part.name))\""
    if let filename = part.filename { head += "; filename=\"\(escaped(filename))\"" }
    head += "\r\n"
    if let type = part.contentType {
      try HeaderField.check("Content-Type", type)
      head += "Content-Type: \(type)\r\n"
    }
    return head + "\r\n"
  }

  /// Escapes as browsers do (WHATWG HTML §4.10.22.8, which RFC 7578 §2 allows): UTF-8, with three characters
  /// percent-encoded.
  private static func escaped(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\"": text += "%22"
      case "\r": text += "%0D"
      case "\n": text += "%0A"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  // MARK: Reading

  /// The fields of a body in this format: their names and bytes; `nil` for the bytes of files.
  static func fields(of body: Data, contentType: String) -> [(name: String, value: Data?)] {
    guard let boundary = parameter("boundary", of: contentType) else { return [] }
    let delimiter = Data("\r\n--\(boundary)".utf8)
    let body = Data("\r\n".utf8) + body
    var fields: [(name: String, value: Data?)] = []
    var end = body.firstRange(of: delimiter, in: body.startIndex..<body.endIndex)
    while let start = end?.upperBound, let next = body.firstRange(of: delimiter, in: start..<body.endIndex) {
      end = next
      // The rest of the line after the boundary is padding (RFC 2046 §5.1.1).
      guard let line = body.firstRange(of: Data("\r\n".utf8), in: start..<next.lowerBound),
        let blank = body.firstRange(of: Data("\r\n\r\n".utf8), in: line.lowerBound..<next.lowerBound)
      else { continue }
      let head = String(decoding: body[line.upperBound..<max(line.upperBound, blank.lowerBound)], as: UTF8.self)
      let disposition = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-disposition:") }
      guard let disposition, let name = parameter("name", of: String(disposition)) else { continue }
      let isFile = parameter("filename", of: String(disposition)) != nil
      fields.append((unescaped(name), isFile ? nil : body[blank.upperBound..<next.lowerBound]))
    }
    return fields
  }

  private static func unescaped(_ name: String) -> String {
    [("%22", "\""), ("%0D", "\r"), ("%0A", "\n")].reduce(name) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }

  /// A parameter of a header's value (RFC 9110 §5.6.6).
  private static func parameter(_ name: String, of value: String) -> String? {
    HeaderParameters.parse(value.prefix { $0 != ";" }.endIndex, in: value).first { $0.name == name }?.value
  }
}

extension MultipartPart {
  fileprivate func mayHold(_ boundary: String) -> Bool {
    guard case .data(let data) = content else { return false }
    return data.firstRange(of: Data(boundary.utf8), in: data.startIndex..<data.endIndex) != nil
  }
}

extension Data {
  /// The first place of `other`, which is not empty, in `range`. The search is one of memory and not of a collection,
  /// because bodies are large and their delimiters rare.
  fileprivate func firstRange(of other: Data, in range: Range<Int>) -> Range<Int>? {
    withUnsafeBytes { mine in
      other.withUnsafeBytes { its in
        guard let begin = mine.baseAddress, let its = its.baseAddress, let first = other.first else { return nil }
        var offset = range.lowerBound - startIndex
        let last = range.upperBound - startIndex - other.count
        while offset <= last, let found = memchr(begin + offset, Int32(first), last - offset + 1) {
          let place = UnsafeRawPointer(found) - begin
          if memcmp(found, its, other.count) == 0 {
            return startIndex + place..<startIndex + place + other.count
          }
          offset = place + 1
        }
        return nil
      }
    }
  }
}
