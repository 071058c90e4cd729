import EntityJSON
import EntityStore
import Foundation

// The request of a page, made of the request of the page before.

extension URL {
  /// The values of the query's parameters, decoded; of parameters of one name the last.
  var queryFields: [String: String] {
    var values: [String: String] = [:]
    for field in (query(percentEncoded: true) ?? "").split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[Self.decodedField(parts[0])] = parts.count > 1 ? Self.decodedField(parts[1]) : ""
    }
    return values
  }

  /// This URL with the parameters of `query` in place of parameters of the same names. The other parameters stay as
  /// they are written.
  func replacingQuery(_ query: QueryParameters) throws -> URL {
    let names = Set(query.items.map(\.name))
    let kept = (self.query(percentEncoded: true) ?? "").split(separator: "&").filter { field in
      !names.contains(Self.decodedField(field.prefix { $0 != "=" }))
    }
    let text = absoluteString.prefix { $0 != "?" && $0 != "#" }
    let fields = kept.map(String.init) + (query.isEmpty ? [] : [query.encoded])
    guard let url = URL(string: text + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))) else {
      throw RequestError(.pagination, "The next page's query makes no URL.")
    }
    return url
  }
}

extension NextPage {
  /// Whether the next page has the URL of the page, but for a query, so that a server may ignore what differs.
  var isOfSameURL: Bool {
    switch self {
    case .query, .body, .range: true
    case .url, .unconfirmedEnd: false
    }
  }
}

extension ReceivedPage {
  /// The body that was sent, with values at key paths.
  ///
  /// - Throws: ``RequestError`` of kind `pagination` for a walk without a body.
  func body(with values: [String: JSONValue]) throws -> Data {
    guard let sentBody else {
      throw RequestError(
        .pagination, "The next page is named in the body, and the requests have none: begin with `pages(posting:)`.")
    }
    return try sentBody.setting(values).rawBytes
  }
}

extension JSONValue {
  /// The same object with values at key paths. Objects on the way are made where there are none.
  ///
  /// - Throws: ``RequestError`` of kind `pagination` for another value than an object on the way.
  func setting(_ values: [String: JSONValue]) throws -> JSONValue {
    try values.sorted { $0.key < $1.key }.reduce(self) { value, field in
      try value.setting(JSONKeyPath(field.key).keys[...], field.value)
    }
  }

  private func setting(_ keys: ArraySlice<String>, _ value: JSONValue) throws -> JSONValue {
    guard let key = keys.first else { return value }
    guard let object else {
      throw RequestError(
        .pagination, "The body has \(kindName) in place of an object with the key '\(key.prefix(200).escaped)'.")
    }
    var fields = object.map { ($0.key, $0.value) }
    let known = object[key: key].flatMap { $0.isNull ? nil : $0 }
    let new = keys.count > 1 ? try (known ?? [:]).setting(keys.dropFirst(), value) : value
    if let place = fields.firstIndex(where: { $0.0 == key }) {
      fields[place].1 = new
    } else {
      fields.append((key, new))
    }
    return JSONObject(fields: fields).value
  }
}
