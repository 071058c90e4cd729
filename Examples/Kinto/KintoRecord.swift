public import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The parts that the entities of a Kinto server have in common: Kinto's protocol, written once.
///
/// Kinto keeps records, JSON objects with an `id`, in collections of buckets. It wraps one record and many in `data`,
/// leads to the next page by the header `Next-Page`, and gives each record a `last_modified`, which is its ETag too
/// (docs.kinto-storage.org).
public protocol KintoRecord: RemoteEntity {
  /// The collection in the bucket.
  static var collection: String { get }
  /// The server's timestamp of the record, in milliseconds; it grows with each change.
  var lastModified: Int { get }
  /// The properties that this app may change.
  static var editable: [PartialKeyPath<Self>] { get }
}

extension KintoRecord {
  /// Relative to the bucket, which is the client's base URL.
  public static var basePath: String { "collections/\(collection)/records" }
  public static var envelope: Envelope? { "data" }
  /// The rest of a deleted record, `{"id": …, "last_modified": …, "deleted": true}`, comes with the changes.
  public static var deletionKey: String? { "deleted" }
}

// MARK: Getting

extension KintoRecord {
  /// The records by pages. The order is by id, so that no record is passed over when others change on the way.
  public static func records(
    pageSize: Int = 500, from token: PageToken? = nil, limit: Int? = nil, options: ResponseOptions<Self> = [],
    progress: PageProgressHandler? = nil
  ) -> EntityPages<Self> {
    pages(
      query: ["_limit": pageSize, "_sort": "id"], by: .header("Next-Page"), from: token, limit: limit, options: options,
      progress: progress)
  }

  /// The records that were changed and deleted since a timestamp, by pages, the oldest change first.
  ///
  /// - Parameter timestamp: ``timestamp()`` of an earlier moment, or the last record's `lastModified`.
  public static func changes(since timestamp: Int, pageSize: Int = 500) -> EntityPages<Self> {
    pages(
      query: ["_since": "\"\(timestamp)\"", "_limit": pageSize, "_sort": "last_modified"], by: .header("Next-Page"))
  }

  /// The collection's timestamp: that of its last change, which the ETag of each list says.
  public static func timestamp() async throws -> Int {
    let etag = try await head().headers["ETag"]
    return etag.flatMap { Int($0.trimmingCharacters(in: ["\""])) } ?? 0
  }

  /// Gets the record anew if it was changed since; the store is left as it is if not.
  ///
  /// - Returns: Whether it was changed.
  @discardableResult
  public nonisolated(nonsending) func refresh() async throws -> Bool {
    let etag = etag
    return try await get { try $0.setHeaders(["If-None-Match": etag]) }.status != 304
  }
}

// MARK: Changing

extension KintoRecord {
  /// The ETag of the record as this app knows it.
  public var etag: String { "\"\(lastModified)\"" }

  /// Puts a new record under its id, unless there is one: then the server answers 412.
  public nonisolated(nonsending) func create() async throws {
    try await put {
      try $0.setHeaders(["If-None-Match": "*"])
      try $0.setRecord(jsonObject(for: Self.editable))
    }
  }

  /// Sends some properties. A record that was changed on the server since it was last got is left alone: that is a
  /// `RequestError` with the status 412, and the local edit stays.
  public nonisolated(nonsending) func save(_ keyPaths: PartialKeyPath<Self>...) async throws {
    let etag = etag
    try await patch {
      try $0.setHeaders(["If-Match": etag])
      try $0.setRecord(jsonObject(for: keyPaths))
    }
  }

  /// Replaces the server's record by all properties that this app may change, under the condition of ``save(_:)``.
  public nonisolated(nonsending) func replace() async throws {
    let etag = etag
    try await put {
      try $0.setHeaders(["If-Match": etag])
      try $0.setRecord(jsonObject(for: Self.editable))
    }
  }

  /// Deletes the record there and here, under the condition of ``save(_:)``.
  public nonisolated(nonsending) func remove() async throws {
    let etag = etag
    try await delete { try $0.setHeaders(["If-Match": etag]) }
  }
}

extension URLRequest {
  fileprivate mutating func setRecord(_ record: JSONObject) throws { try setJSON(["data": record.value]) }
}

extension Country: KintoRecord {
  public static var collection: String { "countries" }
  public static var editable: [PartialKeyPath<Country>] {
    [\.alpha3, \.numeric, \.name, \.officialName, \.commonName, \.flag]
  }
}

extension Subdivision: KintoRecord {
  public static var collection: String { "subdivisions" }
  public static var editable: [PartialKeyPath<Subdivision>] { [\.name, \.category, \.country, \.parent] }
}

extension Language: KintoRecord {
  public static var collection: String { "languages" }
  public static var editable: [PartialKeyPath<Language>] {
    [\.alpha2, \.bibliographic, \.name, \.invertedName, \.commonName, \.scope, \.vitality]
  }
}
