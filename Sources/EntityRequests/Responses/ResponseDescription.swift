/// What a description leaves out.
package enum ResponseRedaction: Sendable {
  case nothing
  /// The values under these keys, wherever they stand.
  case keys(Set<String>)
  /// Every string and number: what is left is the shape.
  case scalars

  package static let mark = "<hidden>"
}

extension ResponseValue: CustomStringConvertible {
  /// The value as compact JSON, cut off after 500 characters.
  public var description: String { description() }

  package func description(limit: Int = 500, redacting redaction: ResponseRedaction = .nothing) -> String {
    var printer = ResponsePrinter(document: document, limit: limit, redaction: redaction)
    return printer.print(index)
  }
}

extension ResponseObject: CustomStringConvertible {
  /// As ``ResponseValue/description``.
  public var description: String { value.description }
}

extension ResponseArray: CustomStringConvertible {
  /// As ``ResponseValue/description``.
  public var description: String { value.description }
}

/// Writes a value until it has more than `limit` characters; what comes after is not even looked at.
private struct ResponsePrinter {
  let document: JSONDocument
  let limit: Int
  let redaction: ResponseRedaction
  var text: [UInt8] = []

  /// A character of the limit has at most this many bytes here; one with more combining marks is cut with the rest.
  private var byteLimit: Int { max(0, limit) * 4 }

  private struct Open {
    var next: Int
    let end: Int
    let isObject: Bool
    var isFirst = true
  }

  mutating func print(_ index: Int) -> String {
    var open: [Open] = []
    begin(index, &open)
    while var frame = open.last, text.count <= byteLimit {
      guard frame.next < frame.end else {
        text.append(UInt8(ascii: frame.isObject ? "}" : "]"))
        open.removeLast()
        continue
      }
      if !frame.isFirst { text.append(UInt8(ascii: ",")) }
      frame.isFirst = false
      var value = frame.next
      var isHidden = false
      if frame.isObject {
        let key = document.word(at: frame.next)
        value += 1
        quote(key)
        text.append(UInt8(ascii: ":"))
        if case .keys(let keys) = redaction { isHidden = keys.contains(JSONText.decode(document.bytes, key)) }
      }
      frame.next = document.next(after: value)
      open[open.count - 1] = frame
      if isHidden { text.append(contentsOf: ResponseRedaction.mark.utf8) } else { begin(value, &open) }
    }
    // A cut inside a character leaves bytes that decode to a replacement character, behind the limit in any case.
    let whole = String(decoding: text, as: UTF8.self)
    let isCut = !open.isEmpty || text.count > byteLimit
    guard isCut || whole.count > limit else { return whole }
    return whole.prefix(max(0, limit)) + "…"
  }

  private mutating func begin(_ index: Int, _ open: inout [Open]) {
    let word = document.word(at: index)
    switch word.tag {
    case .array, .object:
      text.append(UInt8(ascii: word.tag == .object ? "{" : "["))
      open.append(Open(next: index + 2, end: word.extent, isObject: word.tag == .object))
    case .number, .string, .escapedString:
      if case .scalars = redaction {
        text.append(contentsOf: ResponseRedaction.mark.utf8)
      } else if word.tag == .number {
        text.append(contentsOf: document.source(of: word).prefix(byteLimit + 1))
      } else {
        quote(word)
      }
    case .null, .true, .false:
      text.append(contentsOf: document.source(of: word))
    }
  }

  private mutating func quote(_ word: JSONWord) {
    text.append(UInt8(ascii: "\""))
    text.append(contentsOf: document.source(of: word).prefix(byteLimit + 1))
    text.append(UInt8(ascii: "\""))
  }
}
