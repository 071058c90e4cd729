import EntityJSON
import Foundation

/// Values of any Codable type as the text that rows keep, and back.
///
/// Foundation's coders work on its own types and on anybody's alike. All coding of attributes goes through these two
/// functions.
package enum AttributeJSON {
  /// Keys are sorted and there is no whitespace, so that equal values are equal texts. Dates are ISO 8601 in UTC, or
  /// seconds since 1970 outside of the years 0 to 9999; data is base64.
  package static func text(of value: some Encodable) throws(AttributeError) -> String {
    let data: Data
    do { data = try encoder.encode(value) } catch { throw AttributeError(error) }
    // Foundation's encoder refuses a Double that is no number, but writes a Decimal that is none as it is.
    guard !hasNaN(data) else { throw AttributeError("JSON can't hold a number that is none") }
    return String(decoding: data, as: UTF8.self)
  }

  /// Whether there is a `NaN` outside of the strings of what the encoder wrote: nothing else there has an `N`.
  private static func hasNaN(_ data: Data) -> Bool {
    let capital = UInt8(ascii: "N")
    guard data.contains(capital) else { return false }
    var isString = false
    var isEscaped = false
    for byte in data {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isString.toggle()
      } else if isString {
        isEscaped = byte == UInt8(ascii: "\\")
      } else if byte == capital {
        return true
      }
    }
    return false
  }

  package static func value<V: Decodable>(_ type: V.Type = V.self, of text: String) throws(AttributeError) -> V {
    do {
      return try decoder.decode(V.self, from: Data(text.utf8))
    } catch {
      throw AttributeError(error)
    }
  }

  // Both are Sendable, and are not changed once they are made.

  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      if let text = ISO8601Text.text(of: date) {
        try container.encode(text)
      } else {
        try container.encode(date.timeIntervalSince1970)
      }
    }
    return encoder
  }()

  private static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSince1970: seconds) }
      var text = try container.decode(String.self)
      guard let seconds = text.withUTF8(ISO8601.seconds) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date")
      }
      return Date(timeIntervalSince1970: seconds)
    }
    return decoder
  }()
}
