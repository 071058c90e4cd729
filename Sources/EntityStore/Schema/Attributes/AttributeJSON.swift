import EntityJSON

/// Values of any Codable type as the text that rows keep, and back. Attributes are encoded and decoded by these two
/// functions alone.
package enum AttributeJSON {
  /// Keys are sorted and there is no whitespace, so that equal values are equal texts. Dates are ISO 8601 in UTC, or
  /// seconds since 1970 outside of the years 0 to 9999; data is base64; UUIDs are in upper case. A number that is not finite
  /// is refused.
  package static func text(of value: some Encodable) throws(AttributeError) -> String {
    do { return String(decoding: try encoder.bytes(of: value), as: UTF8.self) } catch { throw AttributeError(error) }
  }

  package static func value<V: Decodable>(_ type: V.Type = V.self, of text: String) throws(AttributeError) -> V {
    do { return try decoder.decode(V.self, from: text) } catch { throw AttributeError(error) }
  }

  private static let encoder = JSONValueEncoder(format: .sorted, dateEncodingStrategy: .iso8601OrSeconds)

  private static let decoder: JSONValueDecoder = {
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = .iso8601OrSeconds
    return decoder
  }()
}
