public import EntityJSON
public import HTTPFoundation

/// Bodies as HTML forms send them, in `application/x-www-form-urlencoded` (WHATWG URL Standard §5.2, which RFC 1866
/// §8.2.1 began). The order is kept, a name can stand more than once, text is UTF-8, and a space is a plus sign.
///
/// The answer to a form acknowledges local edits as the answer to JSON does: the edits of properties whose keys are
/// among its fields with the value that the object has.
extension URLRequest {
  /// Sets the body to a form's fields (WHATWG URL Standard §5.2; RFC 1866 §8.2.1).
  ///
  /// ```swift
  /// try request.setForm(["title": "A & B", "tag": ["new", "old"], "note": nil])
  /// // title=A+%26+B&tag=new&tag=old&note=
  /// ```
  ///
  /// An array repeats its name. `nil` and an empty array become an empty field, because a form has no other way to
  /// clear a value or a list. To leave a list as it is, leave its name out.
  public mutating func setForm(_ fields: QueryParameters) throws {
    try setData(FormEncoding.bytes(of: fields), contentType: FormEncoding.mediaType)
  }

  /// Sets the body to the fields of an object (WHATWG URL Standard §5.2), for example of `jsonObject(for:)`. Nested
  /// fields are in brackets, as in ``QueryParameters/init(_:)-(JSONObject)``. Null, an empty list and an empty object
  /// become an empty field.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` for more than 64 levels of nesting.
  @_disfavoredOverload
  public mutating func setForm(_ object: JSONObject) throws { try setForm(try QueryParameters(object)) }

  /// Sets the body to the properties of `value` (WHATWG URL Standard §5.2), sorted by name. Nested fields are in
  /// brackets.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` with the encoder's error, or for a value that has no properties.
  @_disfavoredOverload
  public mutating func setForm(_ value: some Encodable) throws { try setForm(QueryParameters(encoding: value)) }

  /// Sets the body to the fields of a dictionary of mixed values (WHATWG URL Standard §5.2), sorted by name. Nested
  /// fields are in brackets.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` that names the key of a value of an unknown type.
  @_disfavoredOverload
  public mutating func setForm(_ dictionary: [String: Any?]) throws {
    try setForm(QueryParameters(nesting: dictionary))
  }
}
