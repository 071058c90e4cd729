import EntityStore
import Foundation

/// The row to delete when a DELETE succeeds.
struct RowRemoval<E: RemoteEntity>: Sendable {
  let row: RemovedRow<E>
  let on404: Bool

  /// 410 says that the object is deleted (RFC 9110 §15.5.11). 404 may as well mean a wrong URL, so the caller decides.
  var alsoSuccess: Set<Int> { on404 ? [404, 410] : [410] }

  /// The removal for a DELETE of `url`, if that is the URL of one object of `E`.
  init?(of url: URL?, on404: Bool, builder: RequestBuilder, core: StoreCore) {
    guard let url, let model = try? core.schema.model(E.self),
      let row = ObjectURLs<E>(builder: builder, model: model).row(at: url)
    else { return nil }
    self.init(row: row, on404: on404)
  }

  init(row: RemovedRow<E>, on404: Bool) {
    self.row = row
    self.on404 = on404
  }
}
