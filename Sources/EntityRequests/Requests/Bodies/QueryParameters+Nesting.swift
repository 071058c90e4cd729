public import EntityJSON

extension QueryParameters {
  /// The fields of an object, in its order. Nested fields have names with brackets.
  ///
  /// ```swift
  /// QueryParameters(["filter": ["name": "a", "age": 5], "sort": ["name", "age"], "lines": [["n": 1], ["n": 2]]])
  /// // filter[name]=a  filter[age]=5  sort=name  sort=age  lines[0][n]=1  lines[1][n]=2
  /// ```
  ///
  /// Neither RFC 3986 nor the URL standard says how to nest; most servers that nest at all read brackets. A list of
  /// plain values repeats its name, as elsewhere in a query. Numbers are written as they stand in the object. Null, an
  /// empty list and an empty object are written as `nil` is.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` that names the field with more than 64 levels of brackets.
  public init(_ object: JSONObject) throws {
    self.init()
    for (key, value) in object { try append(value, as: key, at: 0) }
  }

  /// The fields of a dictionary of mixed values, sorted by name. The values have the types that `setJSON` takes, and
  /// are nested as in ``init(_:)-(JSONObject)``.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` that names the key of a value of another type.
  public init(nesting dictionary: [String: Any?]) throws {
    try self.init(JSONObject(converting: dictionary))
  }

  /// The properties of `value`, sorted by name, in the form that `setJSON` gives them, nested as in
  /// ``init(_:)-(JSONObject)``.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` with the encoder's error, or for a value that has no properties.
  public init(encoding value: some Encodable) throws {
    try self.init(JSONObject(encoding: value))
  }

  /// The name of a field contains all its levels, so a few kilobytes of nesting would make megabytes of names.
  private static let maximumDepth = 64

  private mutating func append(_ value: JSONValue, as name: String, at depth: Int) throws {
    guard depth <= Self.maximumDepth else {
      throw RequestError(
        .invalidRequest,
        "The field '\(name.prefix(200).escaped)' is in more than \(Self.maximumDepth) objects and lists.")
    }
    switch value.kind {
    case .null: append(Item(name: name, value: nil))
    case .bool: append(Item(name: name, value: value.bool == true ? "true" : "false"))
    case .number: append(Item(name: name, value: value.lexeme))
    case .string: append(Item(name: name, value: value.string))
    case .object:
      if value.object?.count == 0 { append(Item(name: name, value: nil)) }
      for (key, value) in value.object ?? [:] { try append(value, as: "\(name)[\(key)]", at: depth + 1) }
    case .array:
      let elements = Array(value.array ?? [])
      if elements.isEmpty { append(Item(name: name, value: nil)) }
      let isPlain = elements.allSatisfy { $0.kind != .object && $0.kind != .array }
      for (position, element) in elements.enumerated() {
        try append(element, as: isPlain ? name : "\(name)[\(position)]", at: isPlain ? depth : depth + 1)
      }
    }
  }
}

extension JSONObject {
  fileprivate init(converting dictionary: [String: Any?]) throws {
    self = JSONValue(composed: try JSONWriter.bytes(ofAny: dictionary)).object ?? [:]
  }

  fileprivate init(encoding value: some Encodable) throws {
    let json: JSONValue
    do {
      json = try JSONValue(parsing: JSONBody.data(of: value))
    } catch let error as JSONError {
      throw RequestError(.invalidRequest, "A value's own encoding is no JSON.", underlying: error)
    }
    guard let object = json.object else {
      throw RequestError(
        .invalidRequest, "A value of type '\(type(of: value))' is encoded as \(json.kindName), which has no names.")
    }
    self = object
  }
}
