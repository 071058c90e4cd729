import EntityStore
import Foundation

/// The URLs of an entity's objects, read the other way: from a URL to the uid.
struct ObjectURLs<E: RemoteEntity>: Sendable {
  let builder: RequestBuilder
  let model: EntityModel

  /// The uid of the object whose own URL this is; `nil` for any other URL.
  func uid(in url: URL) -> StoredValue? {
    guard let last = url.path(percentEncoded: true).split(separator: "/").last,
      let text = String(last).removingPercentEncoding, let type = model.uidType,
      let uid = StoredValue(uidText: text, type),
      let own = try? builder.url(E.self, nil, uid: text), own.isSamePlace(as: url)
    else { return nil }
    return uid
  }
}

extension URL {
  /// Whether both are of the same origin and path; the queries may differ.
  func isSamePlace(as other: URL) -> Bool {
    let paths = [self, other].map { url in
      url.path(percentEncoded: true).split(separator: "/").map { String($0).removingPercentEncoding ?? String($0) }
    }
    return hasSameOrigin(as: other) && paths[0] == paths[1]
  }
}
