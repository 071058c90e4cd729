public import EntityJSON
public import Foundation

/// The surroundings of an object in a response: the response that it came with, and its place there.
///
/// ```swift
/// func update(with response: ResponseObject) throws {
///   try assignDeclared(from: response)
///   rank = response.context.position ?? 0
///   region = response.context.headers["X-Region"]
///   folderID = try response.context.parent?.value("id")
/// }
/// ```
///
/// An object that no response delivered, as in `context.upsert(User.self, from: object)`, has an empty context. For
/// declared properties see ``ValueOrigin``.
public struct ResponseContext: Sendable {
  /// The facts that all objects of a response share.
  final class Delivery: Sendable {
    let status: Int?
    let headers: HTTPHeaders
    let url: URL?
    let root: JSONValue?
    let parameters: PathParameters
    /// True when the whole body is not known, because it is streamed.
    let isStreamed: Bool

    init(
      status: Int?, headers: HTTPHeaders, url: URL?, root: JSONValue?, parameters: PathParameters,
      isStreamed: Bool = false
    ) {
      self.status = status
      self.headers = headers
      self.url = url
      self.root = root
      self.parameters = parameters
      self.isStreamed = isStreamed
    }
  }

  /// An object that contains other objects. It is made once for all of these.
  final class Enclosing: Sendable {
    let json: JSONObject
    let context: ResponseContext

    init(_ json: JSONObject, _ context: ResponseContext) {
      self.json = json
      self.context = context
    }
  }

  /// `nil` for an object that no response delivered.
  let delivery: Delivery?
  /// The place, for errors, of the object or of the object that contains it at any depth.
  let place: MappingError.Place
  /// The position of the object in its array, from 0; `nil` for an object that stands in no array. Nulls count. The
  /// objects of each page begin with 0.
  public let position: Int?
  let enclosing: Enclosing?

  /// An object without context.
  init(_ place: MappingError.Place) {
    self.init(nil, place, position: nil, enclosing: nil)
  }

  init(_ delivery: Delivery?, _ place: MappingError.Place, position: Int?, enclosing: Enclosing?) {
    self.delivery = delivery
    self.place = place
    self.position = position
    self.enclosing = enclosing
  }

  /// The context of a response, to which its objects add their places.
  init(_ delivery: Delivery) {
    self.init(delivery, MappingError.Place(), position: nil, enclosing: nil)
  }

  /// A context for calls of `update(with:)` in tests.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - headers: Its headers.
  ///   - url: The URL of the request.
  ///   - root: The whole body.
  ///   - parameters: The values of the wildcards of the request's route.
  ///   - part: The key path of the part that the object stands in.
  ///   - position: The position of the object in its array.
  ///   - parent: The object that contains the object.
  public init(
    status: Int? = nil, headers: HTTPHeaders = [:], url: URL? = nil, root: JSONValue? = nil,
    parameters: PathParameters = PathParameters(), part: String? = nil, position: Int? = nil,
    parent: ResponseObject? = nil
  ) {
    self.init(
      Delivery(status: status, headers: headers, url: url, root: root, parameters: parameters),
      parent?.context.place ?? MappingError.Place(part: part, position: position), position: position,
      enclosing: parent.map { Enclosing($0.fields, $0.context) })
  }

  // MARK: The response

  /// The status; `nil` for an object that no HTTP response delivered.
  public var status: Int? { delivery?.status }

  /// The headers of the response.
  public var headers: HTTPHeaders { delivery?.headers ?? [:] }

  /// The URL of the request. For a response that another client delivered, the URL that answered.
  public var url: URL? { delivery?.url }

  /// The whole body, envelope included; `nil` for a streamed response, which is never in memory as a whole.
  public var root: JSONValue? { delivery?.root }

  /// The values of the wildcards of the route that the response was read by.
  public var parameters: PathParameters { delivery?.parameters ?? PathParameters() }

  // MARK: The place

  /// The key path of the part that the object stands in, at any depth; see ``ResponsePart``.
  public var part: String? { place.part }

  /// The object that contains this one, with a context of its own; `nil` for an object that is nested in none.
  ///
  /// An object of picked fields, see ``ResponseObject/picking(_:)-(String...)``, has the place of the object with the
  /// fields. A child that is upserted from picked fields is nested in the object that is updated.
  public var parent: ResponseObject? { enclosing.map { ResponseObject($0.json, $0.context, in: CurrentUpsert.token) } }
}
