import EntityStore
import Foundation

/// Finds the uid of an entity's object from its URL.
struct ObjectURLs<E: RemoteEntity>: Sendable {
  let builder: RequestBuilder
  let model: EntityModel

  /// The uid of the object whose own URL this is; `nil` for any other URL.
  func uid(in url: URL) -> StoredValue? {
    guard let texts = texts(in: url), let uid = model.uid(texts), let path = UIDPath(texts, of: model),
      let own = try? builder.url(E.self, nil, uid: path), own.isSamePlace(as: url)
    else { return nil }
    return uid
  }

  /// The texts of the uid at the end of a URL, by name and place.
  private func texts(in url: URL) -> ((String, Int) -> String?)? {
    let components = url.path(percentEncoded: true).split(separator: "/")
    guard let pattern = try? E.ownPattern else {
      let count = model.uidParts?.parts.count ?? 1
      let texts = components.suffix(count).map { String($0).removingPercentEncoding }
      return texts.count == count ? { texts[$1] } : nil
    }
    let parameters = pattern.match(components.suffix(pattern.components.count).joined(separator: "/"))
    return parameters.map { parameters in { name, _ in parameters[name] } }
  }
}

extension URL {
  /// True when both have the same origin and path; the queries may differ.
  func isSamePlace(as other: URL) -> Bool {
    if self == other { return true }
    let paths = [self, other].map { url in
      url.path(percentEncoded: true).split(separator: "/").map { PercentEncoding.decoded($0) }
    }
    return hasSameOrigin(as: other) && paths[0] == paths[1]
  }
}
