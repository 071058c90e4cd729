import EntityJSON
import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The fields of a form that a request carries: of ``FormEncoding`` or ``Multipart``.
struct SentFields {
  /// By the names split at their brackets; `nil` for an unknown value: a file's content, and a name that stands twice,
  /// of whose values a server may have taken any.
  private var values: [[String]: Data?] = [:]

  /// `nil` when the request carries no form.
  init?(of request: URLRequest) {
    guard let contentType = request.value(forHTTPHeaderField: "Content-Type") else { return nil }
    let type = contentType.prefix { $0 != ";" }.trimmingCharacters(in: [" ", "\t"]).lowercased()
    let body = request.httpBody ?? (request.httpBodyStream as? BodyInputStream)?.content.visible
    guard let body else { return nil }
    switch type {
    case FormEncoding.mediaType:
      for (name, value) in FormEncoding.fields(of: body) { add(value, as: name) }
    case Multipart.mediaType:
      for (name, value) in Multipart.fields(of: body, contentType: contentType) { add(value, as: name) }
    default: return nil
    }
  }

  private mutating func add(_ value: Data?, as name: String) {
    let path = Self.path(name)
    values.updateValue(values.keys.contains(path) ? nil : value, forKey: path)
  }

  /// `user[address][city]` in its parts.
  private static func path(_ name: String) -> [String] {
    guard name.hasSuffix("]"), let open = name.firstIndex(of: "["), open > name.startIndex else { return [name] }
    let inner = name[name.index(after: open)...].dropLast()
    return [String(name[..<open])] + inner.components(separatedBy: "][")
  }

  /// The properties whose keys are among the fields, with the value that `object` has: in the fields themselves, or in
  /// those of the one object that they all belong to, as in `user[email]=…`.
  func properties<E: RemoteEntity>(of object: E) -> ColumnMask {
    let mask = properties(of: object, under: [])
    guard mask.isEmpty, let wrapper = values.keys.first?.first,
      values.keys.allSatisfy({ $0.count > 1 && $0[0] == wrapper })
    else { return mask }
    return properties(of: object, under: [wrapper])
  }

  private func properties<E: RemoteEntity>(of object: E, under wrapper: [String]) -> ColumnMask {
    var mask = ColumnMask()
    guard let keys = try? RequestKeys(object._$state.model) else { return mask }
    for property in object._$state.model.properties where !property.isHidden {
      // A key with dots may be a name or nested; in both forms it stands twice.
      let names: Set = [[keys[property]], keys[property].components(separatedBy: ".")]
      let found = names.compactMap { values[wrapper + $0] }
      guard found.count == 1, let sent = found[0],
        let own = try? object.exported(property)
      else { continue }
      if Self.isSame(sent, own, property) { mask.insert(property.index) }
    }
    return mask
  }

  /// Whether a field has the value of the object. Forms know nothing but text, so a field in another form than this
  /// package writes acknowledges nothing: the edit is sent once more rather than lost.
  private static func isSame(_ sent: Data, _ own: JSONValue, _ property: PropertyModel) -> Bool {
    switch own.kind {
    case .null: return sent.isEmpty
    case .bool:
      return (own.bool == true ? ["true", "1", "on", "yes"] : ["false", "0", "off", "no"])
        .contains(String(decoding: sent, as: UTF8.self).lowercased())
    case .number: return (try? JSONValue(parsing: sent)) == own
    case .string:
      if own.withUTF8({ $0.elementsEqual(sent) }) == true { return true }
      if own.isSameUUID(as: String(decoding: sent, as: UTF8.self)) { return true }
      // A part of a multipart body can be the bytes themselves.
      guard case .attribute(.data, _) = property.kind else { return false }
      return own.string.flatMap { Data(base64Encoded: $0) } == sent
    case .array, .object: return false
    }
  }
}
