import EntityStore
import Foundation

/// Which row goes when a DELETE succeeds.
struct RowRemoval<E: RemoteEntity>: Sendable {
  enum Row: Sendable {
    case object(EntityID<E>)
    case uid(StoredValue)
  }

  let row: Row
  let on404: Bool

  /// 410 says that the object is deleted (RFC 9110 §15.5.11). 404 may as well mean a wrong URL, so the caller decides.
  var alsoSuccess: Set<Int> { on404 ? [404, 410] : [410] }

  /// The removal for a DELETE of `url`, when that is the URL of one object of `E`.
  init?(of url: URL?, on404: Bool, builder: RequestBuilder, core: StoreCore) {
    guard let url, let last = url.path(percentEncoded: true).split(separator: "/").last,
      let text = String(last).removingPercentEncoding, let model = try? core.schema.model(E.self),
      let type = model.uidType, let uid = StoredValue(uidText: text, type),
      let own = try? builder.url(E.self, nil, uid: text), own.isSamePlace(as: url)
    else { return nil }
    self.init(row: .uid(uid), on404: on404)
  }

  init(row: Row, on404: Bool) {
    self.row = row
    self.on404 = on404
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
