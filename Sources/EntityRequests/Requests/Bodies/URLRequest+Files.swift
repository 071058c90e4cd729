public import EntityJSON
public import HTTPFoundation

extension URLRequest {
  /// Sets the body to the parts of a form in `multipart/form-data` (RFC 7578): the fields, and then the other parts.
  ///
  /// ```swift
  /// try await user.post("42/photos") {
  ///   try $0.setMultipart(["title": "Oslo"], [.file("photo", url, contentType: "image/jpeg")])
  /// }
  /// ```
  ///
  /// The boundary is random. Names are UTF-8, with `"`, CR and LF percent-encoded as browsers do. Files are read while
  /// they are sent, never whole. With files the request has an `httpBodyStream`, else an `httpBody`. The length of the
  /// body is known beforehand (``bodyLength``). The request fails if a file has another length when it is sent, or
  /// can't be read.
  ///
  /// The verbs read such a body themselves, with any adapter. Another client that gets the request reads the stream, as
  /// FoundationNetworking on Linux does; Apple's `URLSession` is not tested.
  ///
  /// The answer acknowledges local edits as the answer to a form does; see `setForm`.
  ///
  /// - Parameter fields: As `setForm` takes them.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a file that can't be read, and a content type that can't be
  ///   a header's value.
  public mutating func setMultipart(_ fields: QueryParameters = [:], _ parts: [MultipartPart] = []) throws {
    try setMultipart(fields, parts, boundary: Multipart.randomBoundary)
  }

  /// Sets the body to the fields of an object, for example of `jsonObject(for:)`, and then the other parts. Nested
  /// fields are in brackets, as in ``QueryParameters/init(_:)-(JSONObject)``; null becomes an empty field.
  ///
  /// ```swift
  /// try $0.setMultipart(user.jsonObject(for: \.email, \.age), [.png("avatar", image)])
  /// ```
  ///
  /// - Throws: As the function with ``QueryParameters``, and for more than 64 levels of nesting.
  @_disfavoredOverload
  public mutating func setMultipart(_ object: JSONObject, _ parts: [MultipartPart] = []) throws {
    try setMultipart(try QueryParameters(object), parts)
  }

  /// Sets the body to the properties of `value`, sorted by name, and then the other parts. Nested fields are in
  /// brackets.
  ///
  /// - Throws: As the function with ``QueryParameters``, and with the encoder's error, or for a value that has no
  ///   properties.
  @_disfavoredOverload
  public mutating func setMultipart(_ value: some Encodable, _ parts: [MultipartPart] = []) throws {
    try setMultipart(QueryParameters(encoding: value), parts)
  }

  /// Sets the body to the fields of a dictionary of mixed values, sorted by name, and then the other parts. Nested
  /// fields are in brackets.
  ///
  /// - Throws: As the function with ``QueryParameters``, and for a value of an unknown type, with its key.
  @_disfavoredOverload
  public mutating func setMultipart(_ dictionary: [String: Any?], _ parts: [MultipartPart] = []) throws {
    try setMultipart(QueryParameters(nesting: dictionary), parts)
  }

  package mutating func setMultipart(
    _ fields: QueryParameters, _ parts: [MultipartPart], boundary: () -> String
  ) throws {
    let fields = fields.items.map { MultipartPart.field($0.name, $0.value ?? "") }
    let (content, contentType) = try Multipart.body(of: fields + parts, boundary: boundary)
    try setBody(content, contentType: contentType)
  }

  /// Sets the body to a file's content, which is read while it is sent, and `Content-Type` (RFC 9110 §8.3).
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` when `url` is no regular file that can be read, or when
  ///   `contentType` can't be a header's value.
  public mutating func setFile(_ url: URL, contentType: String) throws {
    var content = BodyContent()
    do {
      try content.append(contentsOf: url)
    } catch let error as BodyFileError {
      throw RequestError(.invalidRequest, error.message)
    }
    try setBody(content, contentType: contentType)
  }

  /// Sets the body to a PNG image, and `Content-Type` to `image/png` (https://www.w3.org/TR/png-3/, RFC 2083).
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` when `image` is no PNG image.
  public mutating func setPNG(_ image: Data) throws {
    try PNG.check(image)
    try setData(image, contentType: PNG.mediaType)
  }

  /// The number of bytes of the body; `nil` for an `httpBodyStream` that no helper here made.
  ///
  /// The verbs announce the length by themselves. Another client sends a stream in chunks (RFC 9112 §7.1), unless it
  /// can be told the length. Foundation's client on Linux can't: with a `Content-Length` it sends both, which RFC 9112
  /// §6.1 forbids.
  public var bodyLength: Int64? {
    guard let stream = httpBodyStream else { return Int64(httpBody?.count ?? 0) }
    return (stream as? BodyInputStream)?.content.length
  }

  private mutating func setBody(_ content: BodyContent, contentType: String) throws {
    try setHeaders(["Content-Type": contentType])
    if let data = content.data { httpBody = data } else { httpBodyStream = BodyInputStream(content) }
  }
}

extension RequestBody {
  /// The body of one of Foundation's requests.
  ///
  /// A stream that a helper here made can be sent any number of times. Any other stream is sent once, in chunks.
  public init(of request: URLRequest) {
    if let stream = request.httpBodyStream {
      self.init(stream)
    } else {
      self = request.httpBody.map { .data($0) } ?? .none
    }
  }
}
