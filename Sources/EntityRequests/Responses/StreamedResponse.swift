public import EntityJSON
public import EntityStore
public import Foundation

/// The result of a request that was streamed: the changes in the store, and the response without its objects.
///
/// ```swift
/// let export = try await User.get("export", streaming: .groups(), options: .envelope("data"))
/// print(export.counts.inserted, try export.meta(Int.self, at: "meta.total"))
/// let users = try store.main.fetch(User.all.limit(20))
/// ```
///
/// It has no ids and no objects: a list of millions is not held in memory. They are in the store, and a query finds them.
public struct StreamedResponse<Entity: RemoteEntity>: Sendable {
  var response: EntityResponse<Entity>

  init(_ response: EntityResponse<Entity>) { self.response = response }

  /// The groups and the elements of the list that were taken in.
  public var committed: StreamedProgress { response.details.streamed ?? StreamedProgress() }
  /// The sums of all groups. An object that stands in two groups counts twice.
  public var counts: EntityCounts { response.counts }
  public var status: Int { response.status }
  public var headers: HTTPHeaders { response.headers }
  /// The URL that answered.
  public var url: URL? { response.url }
  /// The body as parsed, with an empty list in place of the streamed list; `nil` without a body.
  public var value: JSONValue? { response.value }
  /// The transport's figures of the request; `nil` when it measures nothing.
  public var metrics: TransferMetrics? { response.metrics }
  /// As ``EntityResponse/skipped``, without the unsaved edits of the main context.
  public var skipped: SkippedChanges { response.skipped }
  /// The objects that were skipped; see ``ResponseOptions/skipping``. Their positions count in the whole list.
  public var refused: RefusedValues { response.refused }
  /// As ``EntityResponse/unrecognized``.
  public var unrecognized: [UnrecognizedValue] { response.unrecognized }
  /// As ``EntityResponse/absentKeys``.
  public var absentKeys: [String] { response.absentKeys }
  /// As ``EntityResponse/isDryRun``.
  public var isDryRun: Bool { response.isDryRun }
  /// As ``EntityResponse/wouldDelete``.
  public var wouldDelete: DeletedObjects { response.wouldDelete }
  /// The token of the next page, for a page of ``StreamedPages``; `nil` for the last page, and for all other responses.
  public var next: PageToken? { response.next }

  /// As ``EntityResponse/counts(of:)``.
  public func counts<T: ManagedEntity>(of type: T.Type) -> EntityCounts { response.counts(of: type) }

  /// As ``EntityResponse/meta(_:at:)``.
  public func meta<Meta: Decodable>(_ type: Meta.Type = Meta.self, at keyPath: String? = nil) throws -> Meta {
    try response.meta(type, at: keyPath)
  }
}

extension RequestError {
  /// The part of a response, streamed in groups, that is in the store and stays; see ``Streaming``. `nil` for all other
  /// responses, of which nothing was written, and for errors that came before the list.
  public internal(set) var committed: StreamedProgress? {
    get { streamed as? StreamedProgress }
    set { streamed = newValue }
  }
}

extension StreamedResponse: CustomStringConvertible, CustomReflectable {
  /// Status, URL without the query's values, and counts.
  public var description: String {
    "\(Entity.entityName): \(isDryRun ? "dry run, " : "")status \(status)\(url.map { " from \($0.shown)" } ?? ""), streamed, "
      + "\(committed)" + skipped.shown
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
