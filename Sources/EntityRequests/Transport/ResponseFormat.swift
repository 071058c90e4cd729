public import EntityJSON
public import Foundation

/// A format of bodies other than JSON. The client uses it to read bodies of its content types. Envelopes, parts,
/// mapping and values then work as with JSON.
///
/// ```swift
/// /// Lines of `name=value`.
/// struct LinesFormat: ResponseFormat {
///   let name = "lines"
///   let isTyped = false
///
///   func reads(_ contentType: ContentType) -> Bool { contentType.mediaType == "text/lines" }
///
///   func value(of body: Data, contentType: ContentType, limits: JSONLimits) throws -> JSONValue {
///     let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "=") }
///     return JSONObject(fields: lines.map { (String($0[0]), JSONValue($0.dropFirst().joined(separator: "="))) }).value
///   }
/// }
/// let client = try Client(adapter: adapter, baseURL: "https://api.example.com/", formats: [LinesFormat()])
/// ```
///
/// A body of no format's content type is read as JSON, and so is one without a content type.
public protocol ResponseFormat: Sendable {
  /// The name of the format, for errors: `XML`.
  var name: String { get }

  /// True when the format tells numbers and booleans from texts, and a list of one element from that element. This is
  /// the default. In a format that does not, such as XML, a text is read as the number or the boolean that is expected,
  /// a blank text as nothing, and a single value as a list of one where a list is expected.
  var isTyped: Bool { get }

  /// Whether bodies of the content type are of the format.
  func reads(_ contentType: ContentType) -> Bool

  /// The body as JSON. It runs apart from the caller's actor.
  ///
  /// - Parameters:
  ///   - body: The body; never one that is empty or blank.
  ///   - contentType: The content type that the response has.
  ///   - limits: How much the body may ask for: bytes, depth and nodes.
  /// - Throws: Any error. It is the `underlying` one of a ``RequestError`` of kind `parsing`.
  func value(of body: Data, contentType: ContentType, limits: JSONLimits) throws -> JSONValue
}

extension ResponseFormat {
  public var isTyped: Bool { true }
}
