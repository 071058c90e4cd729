import EntityJSON
import EntityStore
import HTTPFoundation

/// The fields of a form that a request carries: of ``FormEncoding`` or ``Multipart``.
struct SentFields {
  /// The fields by the parts of their names: `user[tags][0]` is in `user`, in `tags`, in `0`.
  private struct Node {
    /// The values of the name, in the order of the form; `nil` for a value that is not known: a file's content.
    var values: [Data?] = []
    var children: [String: Node] = [:]

    mutating func add(_ value: Data?, at path: ArraySlice<String>) {
      if let first = path.first {
        children[first, default: Node()].add(value, at: path.dropFirst())
      } else {
        values.append(value)
      }
    }

    subscript(_ path: [String]) -> Node? { path.reduce(self) { $0?.children[$1] } }
  }

  private var root = Node()

  /// `nil` when the request carries no form.
  init?(of request: URLRequest) {
    guard let contentType = request.value(forHTTPHeaderField: "Content-Type") else { return nil }
    let type = contentType.prefix { $0 != ";" }.trimmingCharacters(in: [" ", "\t"]).lowercased()
    let body = request.httpBody ?? (request.httpBodyStream as? BodyInputStream)?.content.visible
    guard let body else { return nil }
    switch type {
    case FormEncoding.mediaType:
      for (name, value) in FormEncoding.fields(of: body) { root.add(value, at: Self.path(name)[...]) }
    case Multipart.mediaType:
      for (name, value) in Multipart.fields(of: body, contentType: contentType) {
        root.add(value, at: Self.path(name)[...])
      }
    default: return nil
    }
  }

  /// `user[address][city]` in its parts.
  private static func path(_ name: String) -> [String] {
    guard name.hasSuffix("]"), let open = name.firstIndex(of: "["), open > name.startIndex else { return [name] }
    let inner = name[name.index(after: open)...].dropLast()
    return [String(name[..<open])] + inner.components(separatedBy: "][")
  }

  /// The properties whose keys are among the fields with the value that `object` has, and the object that a body of
  /// JSON would have for them. If all fields belong to one object, as in `user[email]=…`, the fields of that object are
  /// read.
  func properties<E: RemoteEntity>(of object: E) -> (mask: ColumnMask, body: JSONObject?) {
    let found = properties(of: object, in: root)
    guard found.mask.isEmpty, root.children.count == 1, let wrapped = root.children.first?.value, wrapped.values.isEmpty
    else { return found }
    return properties(of: object, in: wrapped)
  }

  private func properties<E: RemoteEntity>(of object: E, in node: Node) -> (mask: ColumnMask, body: JSONObject?) {
    var mask = ColumnMask()
    let sender = ObjectSender(of: object)
    let model = object._$state.model
    guard let keys = try? RequestKeys(model) else { return (mask, nil) }
    for property in model.properties where !property.isHidden {
      let path = JSONKeyPath(keys[property]).keys
      // A form may have dots where others have brackets. If it has both, nothing says which one counts.
      let found = Set([path, [path.joined(separator: ".")]]).compactMap { node[$0] }
      guard found.count == 1, let own = try? sender.value(property, of: object) else { continue }
      if Self.isSame(found[0], own, property) { mask.insert(property.index) }
    }
    let properties = mask.indices.map { model.properties[$0] }
    return (mask, try? sender.object(object, model, properties))
  }

  // MARK: The values

  /// True when fields have a value of the object.
  ///
  /// - Parameter property: The property of the value; `nil` for a value within it.
  private static func isSame(_ sent: Node, _ own: JSONValue, _ property: PropertyModel?) -> Bool {
    if let object = own.object, object.count > 0 {
      return sent.values.isEmpty && sent.children.count == object.count
        && object.allSatisfy { key, value in sent.children[key].map { isSame($0, value, nil) } ?? false }
    }
    if let array = own.array, array.count > 0 { return isSame(sent, Array(array), property) }
    // A server may have taken any value of a name that stands twice.
    guard sent.children.isEmpty, sent.values.count == 1, let value = sent.values[0] else { return false }
    return isSame(value, own, property)
  }

  /// True when fields have a list: its name stands several times, with or without `[]` behind it, or its elements have
  /// their positions in brackets.
  private static func isSame(_ sent: Node, _ own: [JSONValue], _ property: PropertyModel?) -> Bool {
    let list = sent.children.count == 1 && sent.values.isEmpty ? sent.children[""] ?? sent : sent
    if list.children.isEmpty {
      guard list.values.count == own.count else { return false }
      let isSet = property?.membership != nil && property?.isOrdered == false
      guard isSet else {
        return zip(list.values, own).allSatisfy { sent, own in sent.map { isSame($0, own, nil) } ?? false }
      }
      var left = list.values
      return own.allSatisfy { own in
        guard let place = left.firstIndex(where: { $0.map { isSame($0, own, nil) } ?? false }) else { return false }
        left.remove(at: place)
        return true
      }
    }
    return list.values.isEmpty && list.children.count == own.count
      && own.enumerated().allSatisfy { place, own in list.children["\(place)"].map { isSame($0, own, nil) } ?? false }
  }

  /// True when a field has a value. Forms know nothing but text, so a field in another form than this package writes
  /// acknowledges nothing: the edit is sent once more rather than lost.
  private static func isSame(_ sent: Data, _ own: JSONValue, _ property: PropertyModel?) -> Bool {
    switch own.kind {
    // An empty list, as null: a form has no other way to clear either.
    case .null, .array, .object: return sent.isEmpty
    case .bool:
      return (own.bool == true ? ["true", "1", "on", "yes"] : ["false", "0", "off", "no"])
        .contains(String(decoding: sent, as: UTF8.self).lowercased())
    case .number: return (try? JSONValue(parsing: sent)) == own
    case .string:
      if own.withUTF8({ $0.elementsEqual(sent) }) == true { return true }
      if own.isSameUUID(as: String(decoding: sent, as: UTF8.self)) { return true }
      // A part of a multipart body can be the bytes themselves.
      guard case .attribute(.data, _) = property?.kind else { return false }
      return own.string.flatMap { Data(base64Encoded: $0) } == sent
    }
  }
}
