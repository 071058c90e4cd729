/// The place of a fault: computed from the text and the incomplete tape after the parse has failed.
extension JSONError {
  init(fault: JSONFault, in padded: [UInt8], frames: [JSONOpenContainer] = [], tape: JSONTape? = nil) {
    let count = max(0, padded.count - PaddedText.padding)
    let offset = min(fault.offset, count)
    var position = JSONPosition()
    position.advance(over: 0..<offset, of: padded)
    var path = ""
    if let tape { Self.append(frames, of: tape, in: padded, to: &path) }
    self.init(fault: fault, at: position, found: offset == count ? nil : padded[offset], path: path)
  }

  /// - Parameters:
  ///   - byte: the byte at the position; nil at the end of the text.
  ///   - path: the whole key path.
  init(fault: JSONFault, at position: JSONPosition, found byte: UInt8?, path: String) {
    var message = String(describing: fault.text)
    var kind = fault.kind
    if fault.isExpectation {
      if let byte {
        message = "expected \(message), found \(Self.name(of: byte))"
      } else {
        kind = .unexpectedEnd
        message = "expected \(message), found the end of the text"
      }
    }
    self.init(
      kind: kind, line: position.line, column: position.column, offset: position.offset,
      keyPath: Self.shortened(path), message: message)
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

  static func append(
    _ frames: [JSONOpenContainer], of tape: JSONTape, in bytes: [UInt8], to path: inout String
  ) {
    for frame in frames where frame.count > 0 {
      if frame.isObject {
        let key = JSONWord(bits: tape[lastKey(of: frame, on: tape)])
        append(key: JSONText.decode(bytes, key), to: &path)
      } else {
        path += "[\(frame.count - 1)]"
      }
    }
  }

  private static func shortened(_ path: String) -> String {
    guard path.count > keyPathLimit else { return path }
    return path.prefix(60) + "…" + path.suffix(keyPathLimit - 61)
  }

  /// The key whose value is being read. All members before it are complete and can be skipped.
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
