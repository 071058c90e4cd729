import EntityStore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLRequest {
  /// Sets the body and its `Content-Type`.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` when `contentType` can't be a header's value.
  public mutating func setData(_ data: Data, contentType: String) throws {
    try setHeaders(["Content-Type": contentType])
    httpBody = data
  }

  /// Sets the body to a JSON value, as it is written, and `Content-Type` to `application/json` (RFC 8259 §11).
  public mutating func setJSON(_ value: ResponseValue) throws {
    try setData(value.rawBytes, contentType: "application/json")
  }

  /// Sets the body to a JSON object, for example that of `dictionary(for:)`.
  @_disfavoredOverload
  public mutating func setJSON(_ object: ResponseObject) throws { try setJSON(object.value) }

  /// Sets the body to the JSON of `value`: keys sorted, dates in ISO 8601, data in base64.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` with the encoder's error.
  public mutating func setJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard let text = ISO8601Text.text(of: date) else {
        throw RequestError(.invalidRequest, "A date is outside of the years 0 to 9999, which ISO 8601 can't write.")
      }
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
    let data: Data
    do {
      data = try encoder.encode(value)
    } catch let error as RequestError {
      throw error
    } catch {
      throw RequestError(
        .invalidRequest, "A value of type '\(type(of: value))' could not be encoded as JSON.", underlying: error)
    }
    try setData(data, contentType: "application/json")
  }

  /// Sets the body to the JSON of a dictionary of mixed values: keys sorted, `nil` and `NSNull` as null, dates in
  /// ISO 8601, data in base64, UUIDs in lower case; arrays and dictionaries of such, ``ResponseValue`` and
  /// ``ResponseObject`` too.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` that names the key of a value of another type.
  @_disfavoredOverload
  public mutating func setJSON(_ dictionary: [String: Any?]) throws {
    try setData(Data(try JSONWriter.bytes(ofAny: dictionary)), contentType: "application/json")
  }
}
