public import EntityJSON
import EntityStore
public import HTTPFoundation

extension URLRequest {
  /// Sets the body and its `Content-Type` (RFC 9110 §8.3).
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` when `contentType` can't be a header's value.
  public mutating func setData(_ data: Data, contentType: String) throws {
    try setHeaders(["Content-Type": contentType])
    httpBody = data
  }

  /// Sets the body to a JSON value, as it is written, and `Content-Type` to `application/json` (RFC 8259 §11).
  ///
  /// A `Content-Type` that means JSON stays, for example `application/vnd.api+json` (RFC 6839 §3.1) from the headers of
  /// the client.
  public mutating func setJSON(_ value: JSONValue) throws { try setJSON(bytes: value.rawBytes) }

  /// Sets the body to a JSON object (RFC 8259 §4), for example of `jsonObject(for:)`.
  @_disfavoredOverload
  public mutating func setJSON(_ object: JSONObject) throws { try setJSON(object.value) }

  /// Sets the body to the JSON of `value` (RFC 8259), as `JSONValueEncoder` makes it: keys sorted, dates in
  /// ISO 8601, data in base64 (RFC 4648 §4), UUIDs in upper case. Decimals have all their digits.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` with the encoder's error, also for numbers that are not
  ///   finite, which JSON does not have (§6).
  public mutating func setJSON(_ value: some Encodable) throws {
    try setJSON(bytes: try JSONBody.data(of: value))
  }

  /// Sets the body to the JSON (RFC 8259) of a dictionary of mixed values: keys sorted, `nil` and `NSNull` as null,
  /// dates in ISO 8601, data in base64, UUIDs in upper case. Arrays and dictionaries of such values, ``JSONValue`` and
  /// ``JSONObject`` are values too.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` that names the key of a value of another type.
  @_disfavoredOverload
  public mutating func setJSON(_ dictionary: [String: Any?]) throws {
    try setJSON(bytes: Data(try JSONWriter.bytes(ofAny: dictionary)))
  }

  private mutating func setJSON(bytes: Data) throws {
    let type = value(forHTTPHeaderField: "Content-Type").flatMap { ContentType($0).isJSON ? $0 : nil }
    try setData(bytes, contentType: type ?? "application/json")
  }
}

enum JSONBody {
  /// - Throws: ``RequestError`` of kind `invalidRequest` with the encoder's error.
  static func data(of value: some Encodable) throws -> Data {
    // The text stays as it is written, as for a ``JSONValue``.
    if let object = value as? JSONObject { return object.value.rawBytes }
    if let array = value as? JSONArray { return array.value.rawBytes }
    do {
      return try JSONValueEncoder(format: .sorted).encode(value)
    } catch let error as RequestError {
      throw error
    } catch {
      var place = ""
      if case EncodingError.invalidValue(_, let context) = error {
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        if !path.isEmpty { place = ", at '\(path.drop { $0 == "." }.prefix(200).escaped)'" }
      }
      throw RequestError(
        .invalidRequest, "A value of type '\(type(of: value))' could not be encoded as JSON\(place).", underlying: error
      )
    }
  }
}
