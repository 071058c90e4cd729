import EntityJSON
import Foundation

/// Where a response holds its objects.
///
/// ```swift
/// static var envelope: Envelope? { "data" }                                   // {"data": [{…}, {…}]} and {"data": {…}}
/// static var envelope: Envelope? { Envelope(list: "results") }                // Django: {"results": [{…}, {…}]} and {…}
/// static var envelope: Envelope? { Envelope(list: "users", item: "user") }    // Rails: {"users": [{…}]} and {"user": {…}}
/// static var envelope: Envelope? { Envelope(list: "entry[].resource") }       // {"entry": [{"resource": {…}}]} and {…}
/// static var envelope: Envelope? { Envelope(list: "users{}") }                // a map: {"users": {"7": {…}, "9": {…}}}
/// ```
///
/// A key path can lead through arrays and maps: `entry[].resource` is the list of the `resource` of each element, and
/// `users{}` the list of the values of a map. Each object of a map gets its key as its uid, unless it has the uid itself;
/// `users{name}` gives the key to the key `name`. An element without the `resource` is an error, or is skipped with
/// ``ResponseOptions/skipping``.
///
/// A response without the key is an error of kind `envelope`, and nothing of the response is written, unless the
/// envelope is ``ifPresent()`` or ``emptyIfAbsent(in:)``. An array at the top of the body is a list without envelope: it is taken if the envelope
/// has no key path for lists.
public struct Envelope: Sendable, Hashable {
  /// The key path of a list; `nil` when a list has no envelope.
  public let list: String?
  /// The key path of a single object; `nil` when an object has no envelope.
  public let item: String?
  /// True when a body without the key is taken as a whole.
  public private(set) var isOptional = false

  /// True when a body without the list has an empty list.
  public private(set) var isEmptyIfAbsent = false
  /// The key and the values by which such a body is known; `nil` when there are none.
  public private(set) var emptyMark: Discriminator?

  /// No envelope: the objects are the whole body.
  public static let wholeBody = Envelope(list: nil)

  /// The same envelope for lists and single objects.
  ///
  /// - Parameter keyPath: The key path; dots separate keys. An empty key path is ``wholeBody``.
  public init(_ keyPath: String) { self.init(list: keyPath, item: keyPath) }

  /// Envelopes of lists and of single objects that differ.
  ///
  /// A response with the list's key is a list, and any other a single object. The answer to a request on an object is
  /// read as a single object if it can be one. If a single object has a property under the list's key, name the
  /// envelope ``wholeBody`` with the request.
  ///
  /// - Parameters:
  ///   - list: The key path under which a response holds a list; `nil` when a list is an array at the top.
  ///   - item: The key path under which a response holds a single object; `nil` when a single object is the whole body.
  public init(list: String?, item: String? = nil) {
    self.list = list.flatMap { $0.isEmpty ? nil : $0 }
    self.item = item.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The envelope of a single object alone: `Envelope(item: "user")`.
  public init(item: String) { self.init(list: nil, item: item) }

  /// The same envelope for a server that sometimes leaves it out: a body without the key is taken as a whole.
  public func ifPresent() -> Envelope {
    var envelope = self
    envelope.isOptional = true
    return envelope
  }

  /// The same envelope for a server that leaves out an empty list: a body without the list, or with null in its place, has
  /// no objects.
  ///
  /// ```swift
  /// // FHIR: a search without matches is {"resourceType": "Bundle", "total": 0}
  /// Envelope(list: "entry[].resource").emptyIfAbsent(in: Discriminator("resourceType", "Bundle"))
  /// ```
  ///
  /// Name the mark of such a body wherever there is one. An error that comes with a status of success has another mark or
  /// none, and stays an error, so that `.deleteMissing(in:)` deletes nothing. Without a mark each object without the list
  /// counts as an empty list where a list is asked for: on pages, in stored lists, and with `.deleteMissing(in:)`.
  /// Elsewhere only `{}` does, and with an envelope for single objects any object that has neither.
  ///
  /// - Parameter mark: The key and the values by which a body with a list is known.
  public func emptyIfAbsent(in mark: Discriminator? = nil) -> Envelope {
    var envelope = self
    (envelope.isEmptyIfAbsent, envelope.emptyMark) = (true, mark)
    return envelope
  }
}

extension Envelope: ExpressibleByStringLiteral {
  /// The key path of lists and single objects.
  public init(stringLiteral keyPath: String) { self.init(keyPath) }
}

// MARK: Opening

extension Envelope {
  /// The objects that a response should have.
  enum Expectation {
    /// A list, as a page has.
    case list
    /// A single object, which the request was about.
    case item
    /// Either.
    case any
  }

  /// The array or object that the body holds.
  ///
  /// - Parameter uidKey: The key by which objects have their uid; see ``MappingPlan/uidKey(of:)``.
  /// - Throws: ``RequestError`` of kind `envelope` or `parsing` with the response.
  func open(
    _ body: JSONValue, expecting expectation: Expectation, _ response: HTTPResponse?, uidKey: String? = nil
  ) throws -> JSONValue {
    // A map that is the whole body, and has no entries.
    if body.isNull, expectation != .item, list.map({ JSONKeyPath($0).isWholeMap }) == true { return [] }
    guard body.kind == .array || body.kind == .object else {
      // A Swift literal becomes a JSON string, even if its text is JSON.
      let isJSON = body.string.flatMap { try? JSONValue(parsing: Data($0.utf8)) } != nil
      throw RequestError(
        .parsing,
        "The body is neither an array nor an object, but of kind '\(body.kind)'."
          + (isJSON
            ? " The text is JSON itself: give JSON that is written out as `Data(text.utf8)`, to a stub as `.text(…)`."
            : ""),
        response: response)
    }
    if isEmptyList(body, expecting: expectation) { return [] }
    guard let keyPath = try keyPath(in: body, expecting: expectation, response),
      var value = body.value(forList: keyPath, uidKey: uidKey)
    else { return body }
    if let fault = value.fault {
      throw RequestError(
        .envelope, "Under the envelope '\(Self.shown(keyPath))', at '\(fault.keyPath)', \(fault.reason).",
        response: response)
    }
    // An envelope for lists alone holds a list, even if the format does not tell a list of one from its element.
    let isList = expectation == .list || expectation == .any && keyPath == list && keyPath != item
    if isList, let list = value.list { value = list.value }
    guard value.kind == .array || value.kind == .object else {
      if value.isNull, isEmptyIfAbsent, keyPath == list, expectation != .item { return [] }
      throw RequestError(
        .envelope,
        "Under the envelope '\(Self.shown(keyPath))' is neither an array nor an object, but '\(value.kind)'.",
        response: response)
    }
    return value
  }

  /// Whether a body says that the list is empty by leaving it out.
  private func isEmptyList(_ body: JSONValue, expecting expectation: Expectation) -> Bool {
    guard isEmptyIfAbsent, let list, let object = body.object,
      ![list, item].contains(where: { $0.map { body.holds(forList: $0) } == true })
    else { return false }
    if let emptyMark { return emptyMark.type(of: object).map(emptyMark.values.contains) == true }
    return expectation == .list || expectation == .any && (item != nil || object.count == 0)
  }

  /// The key path under which the body has the objects, or a value; `nil` for the whole body.
  ///
  /// - Throws: ``RequestError`` of kind `envelope` with the response.
  func keyPath(in body: JSONValue, expecting expectation: Expectation, _ response: HTTPResponse?) throws -> String? {
    if body.kind == .array, isOptional || list == nil { return nil }
    if let keyPath = keyPaths(expecting: expectation).first(where: { body.holds(forList: $0) }) {
      return keyPath
    }
    // A bare object, if the expected form has no envelope.
    let allowsBody = isOptional || (expectation == .list ? list == nil : item == nil)
    if allowsBody, body.kind != .array { return nil }
    let names = [list, item].compactMap(\.self).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    throw RequestError(
      .envelope,
      "The body has nothing under the envelope \(names.map { "'\(Self.shown($0))'" }.joined(separator: " or "))"
        + (body.kind == .array
          ? ": it is an array. Where a server leaves the envelope out at times, declare it with ifPresent()."
          : list == nil ? "." : ". Where a server leaves an empty list out, declare it with emptyIfAbsent(in:)."),
      response: response)
  }

  /// The key path of the list in a body that is streamed; `nil` when the list is the body.
  ///
  /// - Parameter body: An empty value of the body's kind; the first byte of the body tells the kind.
  /// - Throws: ``RequestError`` of kind `envelope` with the response, for an array that has no envelope and needs one.
  func keyPath(ofListIn body: JSONValue, _ response: HTTPResponse) throws -> String? {
    guard body.kind == .array else { return list }
    return try keyPath(in: body, expecting: .list, response)
  }

  /// Where the objects may be, the likely place first.
  private func keyPaths(expecting expectation: Expectation) -> [String] {
    switch expectation {
    case .list: [list].compactMap(\.self)
    // A bare object may have a property under the list's key.
    case .item: item.map { [$0] + [list].compactMap(\.self) } ?? []
    case .any: [list, item].compactMap(\.self)
    }
  }

  private static func shown(_ keyPath: String) -> String { keyPath.prefix(200).escaped }
}
