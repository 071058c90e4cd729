public import EntityRequests

/// How a file that belongs to an object is uploaded; see ``OutboxRules/attachment(_:_:)``.
///
/// ```swift
/// .attachment("photo", .put("photo"))                                      // PUT orders/7/photo, the bytes alone
/// .attachment("scan", .tus("/files", fields: { ["order": "\($0.uid)"] }))  // goes on where a connection broke
/// ```
///
/// A path leads below the object's URL. A path with a slash before it begins at the root of the server.
public struct OutboxUploading<Entity: OutboxEntity>: Sendable {
  enum Form: Sendable {
    /// One request with the bytes of the file.
    case whole(HTTPMethod)
    /// One request with a form that has the file in a field.
    case form(field: String)
    /// tus 1.0.
    case tus
    /// `Content-Range` and 308.
    case contentRange
  }

  let form: Form
  let path: String
  var allowed: ResourceAllowance = []
  var pieceSize = Int64(4 << 20)
  var fields: (@Sendable (Entity) throws -> [String: String])?
  var takesAnswer = true

  /// PUT of the file's bytes, with its content type. The request may be sent twice, so a lost answer needs no person.
  ///
  /// - Parameters:
  ///   - path: The path below the object's URL.
  ///   - allowed: Where the path may lead besides.
  public static func put(_ path: String, allowing allowed: ResourceAllowance = []) -> Self {
    Self(form: .whole(.put), path: path, allowed: allowed)
  }

  /// POST of the file's bytes, with its content type. After a lost answer it is sent again by its idempotency key;
  /// without ``OutboxRules/idempotencyKey(header:)`` a person says what became of it.
  ///
  /// - Parameters:
  ///   - path: The path below the object's URL.
  ///   - allowed: Where the path may lead besides.
  public static func post(_ path: String, allowing allowed: ResourceAllowance = []) -> Self {
    Self(form: .whole(.post), path: path, allowed: allowed)
  }

  /// POST of a form in `multipart/form-data` (RFC 7578) with the file and other fields. A lost answer is as that of
  /// ``post(_:allowing:)``.
  ///
  /// - Parameters:
  ///   - path: The path below the object's URL.
  ///   - field: The name of the file's field.
  ///   - allowed: Where the path may lead besides.
  ///   - fields: The other fields, from the object in a context that reads the store.
  public static func form(
    _ path: String, field: String = "file", allowing allowed: ResourceAllowance = [],
    fields: (@Sendable (Entity) throws -> [String: String])? = nil
  ) -> Self {
    Self(form: .form(field: field), path: path, allowed: allowed, fields: fields)
  }

  /// An upload in pieces by tus 1.0 (https://tus.io/protocols/resumable-upload, the core protocol and "Creation"). After
  /// a break it goes on from the offset that the server names.
  ///
  /// - Parameters:
  ///   - path: The path at which uploads are made.
  ///   - pieceSize: The most bytes of a request. A break costs at most one piece.
  ///   - allowed: Where the path, and the URL that the server gives the upload, may lead besides.
  ///   - fields: What `Upload-Metadata` has besides `filename` and `filetype`.
  public static func tus(
    _ path: String, pieceSize: Int = 4 << 20, allowing allowed: ResourceAllowance = [],
    fields: (@Sendable (Entity) throws -> [String: String])? = nil
  ) -> Self {
    Self(form: .tus, path: path, allowed: allowed, pieceSize: Int64(max(1, pieceSize)), fields: fields)
  }

  /// An upload in pieces with `Content-Range`, to a session that a POST makes; 308 says that more is wanted (Google
  /// Cloud Storage, "Resumable uploads"). After a break the server is asked how much it has.
  ///
  /// - Parameters:
  ///   - path: The path at which sessions are made.
  ///   - pieceSize: The most bytes of a request. Google wants a multiple of 256 KiB.
  ///   - allowed: Where the path, and the URL of the session, may lead besides.
  ///   - fields: The JSON object that the POST has as its body.
  public static func contentRange(
    _ path: String, pieceSize: Int = 4 << 20, allowing allowed: ResourceAllowance = [],
    fields: (@Sendable (Entity) throws -> [String: String])? = nil
  ) -> Self {
    Self(form: .contentRange, path: path, allowed: allowed, pieceSize: Int64(max(1, pieceSize)), fields: fields)
  }

  /// The same upload, but nothing of its last response is taken in: only the status and the verdict count. It is for a server
  /// whose files have uids that may be equal to those of the objects.
  public var ignoringAnswer: Self {
    var uploading = self
    uploading.takesAnswer = false
    return uploading
  }

  /// Whether the server says how much of the file it has.
  var isResumable: Bool {
    switch form {
    case .tus, .contentRange: true
    case .whole, .form: false
    }
  }

  /// Whether the request has an idempotency key, where the entity has keys.
  var hasKey: Bool {
    switch form {
    case .whole(let method): method == .post
    case .form: true
    case .tus, .contentRange: false
    }
  }
}
