import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension SentEdits {
  /// The edits that `request` carries to the server.
  ///
  /// They are those of the properties whose keys its JSON body has; all of them, when the body is none that can be told
  /// apart by keys. At a URL other than the object's own, a key counts only with the very value that the object has: the
  /// body may be about something else.
  static func carried<E: RemoteEntity>(by request: URLRequest, of object: E, isOwnURL: Bool) -> SentEdits? {
    guard let data = request.httpBody, !data.isEmpty else { return nil }
    let model = object._$state.model
    let body = try? ResponseObject(parsing: data)
    var mask = ColumnMask()
    for property in model.properties {
      guard let value = body?[property.key] else { continue }
      if isOwnURL || (try? object.exported(property, property.keyPath as? PartialKeyPath<E>)) == value {
        mask.insert(property.index)
      }
    }
    guard mask.isEmpty else { return SentEdits(of: object, mask) }
    return isOwnURL ? SentEdits(of: object, nil) : nil
  }
}
