import EntityStore
import Foundation

/// Finds the uid of an entity's object from its URL.
struct ObjectURLs<E: RemoteEntity>: Sendable {
  let builder: RequestBuilder
  let model: EntityModel

  /// The uid of the object whose own URL this is; `nil` for any other URL.
  func uid(in url: URL) -> StoredValue? {
    let template = try? E.ownTemplate
    if let template, !template.isOfUID(model) { return nil }
    guard let texts = texts(in: url, template), let uid = model.uid(texts), let path = UIDPath(texts, of: model),
      let own = try? builder.url(E.self, nil, uid: path), template?.isSame(url, own) ?? own.isSamePlace(as: url)
    else { return nil }
    return uid
  }

  /// The row of the object whose own URL this is; `nil` for any other URL.
  func row(at url: URL) -> RemovedRow<E>? {
    if let uid = uid(in: url) { return .uid(uid) }
    guard let template = try? E.ownTemplate, !template.isOfUID(model), let texts = template.values(in: url),
      let own = try? builder.url(
        E.self, nil, uid: UIDPath(parts: texts.map { (name: $0.key, text: $0.value) })), template.isSame(url, own)
    else { return nil }
    var values: [(property: Int, value: StoredValue)] = []
    for (name, text) in texts {
      guard let index = model.pathAttribute(name), case .attribute(let type, _) = model.properties[index].kind,
        let value = StoredValue(uidText: text, type)
      else { return nil }
      values.append((index, value))
    }
    return .address(values)
  }

  /// The uid of a new object by its `Location`, which may be the URL of the object's first version, `Patient/77/_history/1`
  /// (FHIR R4, RESTful API, "create").
  func uid(ofNew location: URL) -> StoredValue? {
    if let uid = uid(in: location) { return uid }
    let versions = location.deletingLastPathComponent()
    return versions.lastPathComponent == "_history" ? uid(in: versions.deletingLastPathComponent()) : nil
  }

  /// The texts of the uid in a URL, by name and place.
  private func texts(in url: URL, _ template: URLTemplate?) -> ((String, Int) -> String?)? {
    guard let template else {
      let components = url.path(percentEncoded: true).split(separator: "/")
      let count = model.uidParts?.parts.count ?? 1
      let texts = components.suffix(count).map { String($0).removingPercentEncoding }
      return texts.count == count ? { texts[$1] } : nil
    }
    return template.values(in: url).map { values in { name, _ in values[name] } }
  }
}

extension RemoteEntity {
  /// The uid of the object whose own URL stands in a response, or the URL of one of its versions; `nil` for any other text.
  static func uid(at text: String, _ model: EntityModel, _ builder: RequestBuilder, from response: URL?) -> StoredValue?
  {
    let urls = ObjectURLs<Self>(builder: builder, model: model)
    let places = [try? builder.relative(text, Self.self).url(), URL(string: text, relativeTo: response)?.absoluteURL]
    return places.lazy.compactMap { $0.flatMap(urls.uid(ofNew:)) }.first
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
