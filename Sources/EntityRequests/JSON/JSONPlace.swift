/// Where a fault is: worked out from the text and the half-built tape after the parse has failed.
extension JSONError {
  init(fault: JSONFault, in padded: [UInt8], frames: [JSONOpenContainer] = [], tape: JSONTape? = nil) {
    let count = max(0, padded.count - JSONScanner.padding)
    let offset = min(fault.offset, count)
    let (line, column) = Self.position(of: offset, in: padded)
    var message = String(describing: fault.text)
    var kind = fault.kind
    if fault.isExpectation {
      if offset == count {
        kind = .unexpectedEnd
        message = "expected \(message), found the end of the text"
      } else {
        message = "expected \(message), found \(Self.name(of: padded[offset]))"
      }
    }
    self.init(
      kind: kind, line: line, column: column, offset: offset,
      keyPath: tape.map { Self.keyPath(bytes: padded, tape: $0, frames: frames) } ?? "", message: message)
  }

  private static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    var previous: UInt8 = 0
    for byte in bytes[..<offset] {
      if byte == 0x0A, previous == 0x0D {
        // The second half of CR LF.
      } else if byte == 0x0A || byte == 0x0D {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      previous = byte
    }
    return (line, column)
  }

  private static func name(of byte: UInt8) -> String {
    switch byte {
    case 0x27: "\"'\""
    case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
    case 0x20: "a space"
    default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }

  // MARK: Key paths

  static let keyPathLimit = 200
  private static let keyLimit = 60

  private static func keyPath(bytes: [UInt8], tape: JSONTape, frames: [JSONOpenContainer]) -> String {
    var path = ""
    for frame in frames where frame.count > 0 {
      if frame.isObject {
        let key = JSONWord(bits: tape[lastKey(of: frame, on: tape)])
        append(key: JSONText.decode(bytes, key), to: &path)
      } else {
        path += "[\(frame.count - 1)]"
      }
    }
    guard path.count > keyPathLimit else { return path }
    return path.prefix(60) + "…" + path.suffix(keyPathLimit - 61)
  }

  /// The key whose value is being read: all members before it are complete and can be stepped over.
  private static func lastKey(of frame: JSONOpenContainer, on tape: JSONTape) -> Int {
    var index = frame.start + 2
    for _ in 1..<frame.count {
      let value = JSONWord(bits: tape[index + 1])
      index = value.isContainer ? value.extent : index + 2
    }
    return index
  }

  private static func append(key: String, to path: inout String) {
    let shown = key.count > keyLimit ? key.prefix(keyLimit) + "…" : key
    let isPlain =
      !shown.isEmpty
      && shown.unicodeScalars.allSatisfy {
        $0.value > 0x20 && $0.value != 0x7F && !".[]\"\\".unicodeScalars.contains($0)
      }
    if isPlain {
      path += path.isEmpty ? shown : ".\(shown)"
    } else {
      var quoted: [UInt8] = []
      JSONEscaping.append(shown, to: &quoted)
      path += "[" + String(decoding: quoted, as: UTF8.self) + "]"
    }
  }
}
