import EntityClient
import Foundation

/// An issue tracker of Roundup's.
enum Tracker {
  static let entities: [any ManagedEntity.Type] = [
    Issue.self, Keyword.self, User.self, Priority.self, Status.self, Message.self, Attachment.self,
  ]

  /// A client for the tracker at a URL, with the headers that its REST interface requires of every request.
  static func client(
    _ url: URL, user: String, password: String, adapter: any RequestAdapter, store: EntityStore
  ) throws -> Client {
    var origin = URLComponents()
    (origin.scheme, origin.host, origin.port) = (url.scheme, url.host(), url.port)
    return try Client(
      adapter: adapter, store: store, baseURL: url.appending(path: "rest/data"),
      headers: [
        "Authorization": "Basic " + Data("\(user):\(password)".utf8).base64EncodedString(),
        "Origin": origin.string ?? "", "X-Requested-With": "EntityClient",
      ],
      envelope: "data")
  }

  /// Brings everything up to date; returns the number of rows that were written.
  @discardableResult
  nonisolated(nonsending) static func sync() async throws -> Int {
    var rows = 0
    for item in items { rows += try await item.rowsOfSync() }
    return rows
  }

  private static let items: [any TrackerItem.Type] = [
    Priority.self, Status.self, User.self, Keyword.self, Attachment.self, Message.self, Issue.self,
  ]
}

extension TrackerItem {
  fileprivate nonisolated(nonsending) static func rowsOfSync() async throws -> Int {
    try await sync().counts.rowsWritten
  }
}
