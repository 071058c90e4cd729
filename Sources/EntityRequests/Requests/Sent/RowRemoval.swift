import EntityStore
import Foundation

/// The row to delete when a DELETE succeeds.
struct RowRemoval<E: RemoteEntity>: Sendable {
  let row: RemovedRow<E>
  let on404: Bool
  /// Whether the query of the URL names the object: an empty list then says that there is none.
  let isByQuery: Bool
  /// Whether that query has more fields than those that name the object.
  let hasFurtherFields: Bool

  /// 410 says that the object is deleted (RFC 9110 §15.5.11). 404 may as well mean a wrong URL, so the caller decides.
  var alsoSuccess: Set<Int> { on404 ? [404, 410] : [410] }

  /// The removal for a DELETE of `url`, if that is the URL of one object of `E`.
  init?(of url: URL?, on404: Bool, builder: RequestBuilder, core: StoreCore) {
    guard let url, let model = try? core.schema.model(E.self),
      let row = ObjectURLs<E>(builder: builder, model: model).row(at: url)
    else { return nil }
    self.init(row, at: url, on404: on404, builder: builder)
  }

  /// The removal for a DELETE of `url`, which is the URL of the object.
  init(_ row: RemovedRow<E>, at url: URL?, on404: Bool, builder: RequestBuilder) {
    self.row = row
    self.on404 = on404
    isByQuery = builder.isOwnByQuery(E.self, url)
    let names = Set((try? E.ownTemplate)?.fields.map(\.name) ?? [])
    hasFurtherFields = isByQuery && url?.queryFields.keys.contains { !names.contains($0) } == true
  }
}
