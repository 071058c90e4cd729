import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension SentEdits {
  /// The edits that `request` carries to the server.
  ///
  /// They are those of the properties whose keys its JSON body has, in the one object that the body wraps if it does, as in
  /// `{"user": {…}}`. A body that names no property acknowledges nothing: what was not sent must not be lost. Nor does another value
  /// than the object has; at a URL other than the object's own, not even one in another form. Forms are read as
  /// ``SentFields`` says.
  static func carried<E: RemoteEntity>(by request: URLRequest, of object: E, isOwnURL: Bool) -> SentEdits? {
    if let fields = SentFields(of: request) {
      let mask = fields.properties(of: object)
      return mask.isEmpty ? nil : SentEdits(of: object, mask)
    }
    guard let data = request.httpBody, let body = try? ResponseObject(parsing: data) else { return nil }
    let mask = sentProperties(of: object, in: body, isOwnURL)
    if !mask.isEmpty { return SentEdits(of: object, mask) }
    guard body.count == 1, let wrapped = body.first(where: { _ in true })?.value.object else { return nil }
    let inner = sentProperties(of: object, in: wrapped, isOwnURL)
    return inner.isEmpty ? nil : SentEdits(of: object, inner)
  }

  private static func sentProperties<E: RemoteEntity>(
    of object: E, in body: ResponseObject, _ isOwnURL: Bool
  ) -> ColumnMask {
    var mask = ColumnMask()
    for property in object._$state.model.properties {
      guard let value = body.value(for: property.key) else { continue }
      let own = try? object.exported(property, property.keyPath as? PartialKeyPath<E>)
      // Of another kind: sent in a form of the project's own. Of the same kind and different: not what was edited here.
      if own == value || (isOwnURL && own?.kind != value.kind) { mask.insert(property.index) }
    }
    return mask
  }
}
