import EntityJSON
import Foundation

/// A form of URLs that are made of values, and whose values can be read: a path pattern, and a query with parameters.
///
/// ```
/// issues/{uid}.json      Users('{uid}')      users?id=eq.{uid}      https://api.example.com/repos/{owner}/{name}
/// ```
struct URLTemplate: Sendable {
  /// A field of the query.
  struct Field: Sendable, Hashable {
    /// The name, decoded.
    let name: String
    let value: PathPattern.Affixes
  }

  /// Scheme and authority; `nil` for a template that is relative to another URL.
  let server: String?
  let path: PathPattern
  let fields: [Field]

  /// - Throws: ``RequestError`` of kind `invalidRoute`, with words that say what to write.
  init(_ text: String) throws {
    var rest = Substring(text)
    if RequestURL.isAbsolute(text), let colon = text.range(of: "://") {
      let end = text.utf8[colon.upperBound...].firstIndex(where: RequestURL.endsAuthority) ?? text.endIndex
      server = String(text[..<end])
      rest = text[end...]
    } else {
      server = nil
    }
    let parts = rest.utf8.split(separator: UInt8(ascii: "?"), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    func refusal(_ reason: String) -> RequestError {
      RequestError(.invalidRoute, "The URL template '\(text.escaped)' is refused: \(reason).")
    }
    guard parts.count <= 2 else {
      throw refusal("it has two queries; write '&' between the fields of one, as in 'a=1&b={uid}'")
    }
    path = try PathPattern(parts[0])
    fields =
      try parts.count == 1
      ? []
      : parts[1].utf8.split(separator: UInt8(ascii: "&")).map { try Self.field(String(Substring($0)), refusal) }
    var names = Set(path.names)
    for name in fields.flatMap(\.value.names) where !names.insert(name).inserted {
      throw refusal("there are two parameters with the name '\(name.escaped)'")
    }
    guard Set(fields.map(\.name)).count == fields.count else { throw refusal("two fields of the query have one name") }
  }

  private static func field(_ text: String, _ refusal: (String) -> RequestError) throws -> Field {
    guard !text.utf8.contains(UInt8(ascii: "#")) else { throw refusal("a fragment is never sent; write %23 for '#'") }
    let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard let name = parts[0].removingPercentEncoding, !name.isEmpty, !name.contains("{") else {
      throw refusal("a field of the query is 'name=value', as in 'id=eq.{uid}', and parameters stand in the value")
    }
    let value = try PathPattern.Affixes(parts.dropFirst().first ?? "", refusal: refusal) {
      (literal: String) throws(RequestError) in
      guard let decoded = literal.removingPercentEncoding else {
        throw refusal("the query is no percent-encoded UTF-8; write %25 for the character '%'")
      }
      return (decoded, PercentEncoding.query(literal))
    }
    return Field(name: name, value: value)
  }

  /// The names of the parameters, in order.
  var names: [String] { path.names + fields.flatMap(\.value.names) }

  /// The names of the fields of the query that tell one object from another.
  var telling: [String] { fields.filter { !$0.value.names.isEmpty }.map(\.name) }

  /// True when a parameter stands in the query.
  func isInQuery(_ name: String) -> Bool { fields.contains { $0.value.names.contains(name) } }
}

// MARK: Making

extension URLTemplate {
  /// A reference with values, percent-encoded: no character of a value has a meaning in the URL.
  ///
  /// - Parameters:
  ///   - parameters: A value for each parameter, and no more.
  ///   - segments: Segments behind the object, not encoded. They stand before an extension: `issues/7/notes.json`.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for values that no URL can hold, and for segments behind an
  ///   object that the query names.
  func reference(_ parameters: PathParameters, segments: [String] = []) throws -> String {
    var inPath = parameters
    for name in fields.flatMap(\.value.names) { inPath[name] = nil }
    var made = try path.path(inPath)
    if !segments.isEmpty {
      guard telling.isEmpty else {
        throw RequestError(
          .invalidRequest,
          "The objects of '\(self)' are named by the query, so nothing stands below one. Declare a route for it.")
      }
      made = try made.inserting(segments, before: fileExtension, slash: path.endsWithSlash)
    }
    let query = try fields.map { field in
      let value = try field.value.encoded { name, isNumber in
        guard let value = parameters[name], !value.isEmpty, !isNumber || value.isDigits else {
          throw RequestError(
            .invalidRequest, "No URL can be made of '\(self)': '\(name.escaped)' has no value that it can hold.")
        }
        return value
      }
      return "\(PercentEncoding.component(field.name))=\(value)"
    }
    return (server ?? "") + made + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// The extension behind the parameter of the last component, such as `.json`.
  private var fileExtension: String {
    guard case .affixed(let affixes) = path.components.last else { return "" }
    return affixes.fileExtension ?? ""
  }
}

extension String {
  fileprivate func inserting(_ segments: [String], before end: String, slash: Bool) throws -> String {
    var folder = utf8[...]
    if slash { folder.removeLast() }
    folder.removeLast(end.utf8.count)
    let below = try segments.map { try String(pathSegment: $0) }.joined(separator: "/")
    return "\(Substring(folder))/\(below)\(end)\(slash ? "/" : "")"
  }
}

// MARK: Reading

extension URLTemplate {
  /// The values in a URL that ends as the template does; `nil` for a URL of another form.
  func values(in url: URL) -> [String: String]? {
    let components = url.path(percentEncoded: true).split(separator: "/").suffix(path.components.count)
    guard var values = path.match(components.joined(separator: "/"))?.named else { return nil }
    for field in fields {
      let found = url.queryValues(field.name)
      guard found.count == 1, let named = field.value.values(in: found[0]) else { return nil }
      values.merge(named) { $1 }
    }
    return values
  }
}

extension URLTemplate: CustomStringConvertible {
  var description: String {
    let query = fields.map { "\(PercentEncoding.component($0.name))=\($0.value)" }
    return (server ?? "") + path.description + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }
}

extension URL {
  /// The values of all parameters of the query with a name, decoded.
  func queryValues(_ name: String) -> [String] {
    (query(percentEncoded: true) ?? "").split(separator: "&").compactMap { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard Self.decodedField(parts[0]) == name else { return nil }
      return parts.count > 1 ? Self.decodedField(parts[1]) : ""
    }
  }

  /// A name or a value of a query, decoded.
  static func decodedField(_ text: Substring) -> String {
    let text = text.replacingOccurrences(of: "+", with: " ")
    return text.removingPercentEncoding ?? text
  }
}
