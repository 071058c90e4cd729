import Foundation

extension Date: NativeDecodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Date {
    guard state.tag(at: index) != .null else { throw state.mismatch(Date.self, at: index, path()) }
    switch state.options.dateDecodingStrategy {
    case .deferredToDate:
      return Date(timeIntervalSinceReferenceDate: try state.double(at: index, path: path))
    case .secondsSince1970:
      return Date(timeIntervalSince1970: try state.double(at: index, path: path))
    case .millisecondsSince1970:
      return Date(timeIntervalSince1970: try state.double(at: index, path: path) / 1000)
    case .iso8601:
      guard state.value(at: index).kind == .string else { throw state.mismatch(String.self, at: index, path()) }
      if let seconds = state.value(at: index).withUTF8({ ISO8601.timestamp($0) }) ?? nil {
        return Date(timeIntervalSince1970: seconds)
      }
      throw state.corrupted(
        "Expected a date of ISO 8601 such as 2024-03-01T12:00:00Z, found another string", at: index, path())
    case .iso8601OrSeconds:
      if state.isNumber(at: index) {
        return Date(timeIntervalSince1970: try state.double(at: index, path: path))
      }
      guard state.value(at: index).kind == .string else { throw state.mismatch(String.self, at: index, path()) }
      if let seconds = state.value(at: index).secondsOfDate { return Date(timeIntervalSince1970: seconds) }
      throw state.corrupted("Expected a date of ISO 8601 or a number, found another string", at: index, path())
    case .formatted(let formatter):
      let text = try state.string(at: index, path: path)
      if let date = formatter.date(from: text) { return date }
      throw state.corrupted("The string does not match the format that the formatter expects", at: index, path())
    case .custom(let read):
      return try read(TapeDecoder(state: state, index: index, path: path()))
    }
  }
}

extension ISO8601 {
  /// The same as `seconds(_:)`, but only for a date and time with seconds and offset (RFC 3339 §5.6).
  static func timestamp(_ text: LentBytes) -> Double? {
    guard text.count >= 20, text[10] | 0x20 == UInt8(ascii: "t"), text[16] == UInt8(ascii: ":"),
      text[19...].contains(where: { "Zz+-".utf8.contains($0) })
    else { return nil }
    return text.seconds
  }
}

extension Data: NativeDecodable {
  static var readsBlankText: Bool { true }

  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Data {
    guard state.tag(at: index) != .null else { throw state.mismatch(Data.self, at: index, path()) }
    switch state.options.dataDecodingStrategy {
    case .base64:
      if let data = Data(base64Encoded: try state.string(at: index, path: path)) { return data }
      throw state.corrupted("The string is not valid base64", at: index, path())
    case .custom(let read):
      return try read(TapeDecoder(state: state, index: index, path: path()))
    case .deferredToData:
      return try state.decodePlain(Data.self, at: index, path: path())
    }
  }
}

extension URL: NativeDecodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> URL {
    guard state.tag(at: index) != .null else { throw state.mismatch(URL.self, at: index, path()) }
    if let url = URL(string: try state.string(at: index, path: path)) { return url }
    throw state.corrupted("The string is not a valid URL", at: index, path())
  }
}

extension Decimal: NativeDecodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Decimal {
    guard state.isNumber(at: index) else { throw state.mismatch(Decimal.self, at: index, path()) }
    if let decimal = state.value(at: index).decimal { return decimal }
    throw state.unrepresentable(Decimal.self, at: index, path())
  }
}
