public import EntityJSON
public import EntityRequests
public import Foundation

/// XML bodies, read as the JSON that says the same.
///
/// ```swift
/// let client = try Client(
///   adapter: adapter, store: store, baseURL: "https://api.example.com/", headers: ["Accept": "application/xml"],
///   formats: [XMLFormat()])
/// ```
///
/// `<user id="7"><name>Ada</name><tag>a</tag><tag>b</tag></user>` is
/// `{"user": {"@id": "7", "name": "Ada", "tag": ["a", "b"]}}`:
///
/// - The root element is a key of the body. An element is an object, and one that has a text alone is that text.
/// - Elements of one name in one parent are an array, wherever they stand among the others.
/// - An attribute has `@` before its name. The text of an element that has attributes or elements is under `#text`;
///   whitespace between elements is none. Comments and processing instructions are passed over.
/// - An empty element is an empty text. One that says `xsi:nil="true"`, with any prefix or none, is null.
/// - Names are kept as they are written, with their prefixes. Declarations of namespaces are left out.
///
/// XML has no numbers and no lists. So a text is read as the number that it has where a number is expected, a blank one as
/// null; and where a list is expected, one element is a list of one, and a blank element an empty list.
///
/// A body is well-formed XML 1.0 (W3C, fifth edition) in UTF-8, or it is refused with an ``XMLError``. So is one with a
/// document type declaration: no entity is expanded but the five of XML itself, and nothing else is loaded.
public struct XMLFormat: ResponseFormat {
  /// The treatment of attributes.
  public enum Attributes: Sendable {
    /// Each is a field of its element: `@id`.
    case kept
    /// Those of an element with a text alone, or with nothing, are left out: `<age type="integer">36</age>` is `"36"`.
    /// Others are kept.
    case leftOutOfTexts
    /// All are left out.
    case leftOut
  }

  /// Elements that are always a list, with none of them too: see ``init(lists:attributes:trimsTexts:)``.
  public let lists: [String]
  public let attributes: Attributes
  /// Whether texts lose the whitespace at both ends.
  public let trimsTexts: Bool

  /// Makes a format.
  ///
  /// - Parameters:
  ///   - lists: Elements that are always a list: `"user"`, or `"users.user"` for those in an element `users`. With the
  ///     longer form, `<users/>` has an empty list of them. It is needed for free JSON and for attributes of Codable
  ///     types; relationships, envelopes and decoded values expect a list where theirs is one.
  ///   - attributes: The treatment of attributes.
  ///   - trimsTexts: Whether texts lose the whitespace at both ends.
  public init(lists: [String] = [], attributes: Attributes = .kept, trimsTexts: Bool = false) {
    self.lists = lists
    self.attributes = attributes
    self.trimsTexts = trimsTexts
  }

  public var name: String { "XML" }

  public var isTyped: Bool { false }

  /// `application/xml`, `text/xml`, and all types that end in `+xml` (RFC 7303).
  public func reads(_ contentType: ContentType) -> Bool {
    ["application/xml", "text/xml"].contains(contentType.mediaType) || contentType.mediaType.hasSuffix("+xml")
  }

  /// - Throws: ``XMLError``.
  public func value(of body: Data, contentType: ContentType, limits: JSONLimits) throws -> JSONValue {
    try value(of: body, charset: contentType.charset, limits: limits)
  }

  /// The value of a document that came by another way than as a response.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - limits: How much it may ask of the reader. The depth is that of elements; a byte order mark is allowed.
  /// - Throws: ``XMLError``.
  public func value(of document: Data, limits: JSONLimits = .standard) throws(XMLError) -> JSONValue {
    try value(of: document, charset: nil, limits: limits)
  }

  private func value(of document: Data, charset: String?, limits: JSONLimits) throws(XMLError) -> JSONValue {
    // The offsets of nodes have 32 bits.
    guard document.count <= min(limits.bytes, 1 << 30) else {
      throw XMLError(.tooLarge, "the document has more bytes than the limit")
    }
    var parser = XMLParsing(XMLScanner(document), XMLTree(self), limits)
    do throws(XMLFault) {
      try parser.parse(charset: charset)
    } catch {
      throw XMLError(error, in: parser.scanner.bytes, path: parser.path)
    }
    let bytes = parser.tree.json()
    guard bytes.count <= 1 << 30 else {
      throw XMLError(.tooLarge, "the document has more bytes as JSON than a value can have")
    }
    return JSONValue(composed: bytes).untyped
  }
}
