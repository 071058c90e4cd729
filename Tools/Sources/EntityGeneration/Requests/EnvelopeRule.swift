/// Finds the objects of a response.
enum EnvelopeRule {
  enum Content {
    /// - Parameter keyPath: Empty where the body is the list.
    case list(keyPath: String, element: Place)
    case item(keyPath: String, object: Place)
    /// Several lists side by side.
    case several([(key: String, keyPath: String, element: Place)])

    fileprivate func below(_ keyPath: String) -> Content? {
      switch self {
      case .list(let inner, let element):
        return .list(keyPath: inner.isEmpty ? keyPath : "\(keyPath).\(inner)", element: element)
      case .several(let lists):
        return .several(lists.map { ($0.key, "\(keyPath).\($0.keyPath)", $0.element) })
      case .item: return nil
      }
    }
  }

  /// Keys that say something about a response, and nothing about an object.
  private static func isAbout(_ key: String) -> Bool {
    let words = Words.split(key).map { $0.lowercased() }
    // `@odata.nextLink`, `@odata.count`
    guard let first = words.first, !key.hasPrefix("@") else { return true }
    if exact.contains(words.joined(separator: "_")) { return true }
    return ["total", "next", "prev", "previous", "page", "first", "last", "cursor", "href", "num", "has"].contains(
      first)
  }

  private static let exact: Set<String> = [
    "count", "per_page", "limit", "offset", "skip", "has_more", "more", "link", "links", "meta", "pagination", "paging",
    "object",
    "url", "uri", "status", "message", "error", "errors", "kind", "api_version", "metadata", "start", "end", "size",
    "request_id", "success", "self", "type", "warnings", "etag", "ok", "code", "order", "order_by", "sort", "is_last",
    "max_results",
    "start_at", "result_info", "messages", "results_count", "result_count", "timestamp", "time", "load_more",
    "response_metadata", "jsonapi",
  ]

  /// The key of JSON:API for the objects that those of the data lead to.
  static let related = "included"

  private static let deepest = 4

  /// - Parameters:
  ///   - path: The path of the operation.
  ///   - hasUID: Whether an object has a property that names it.
  static func content(of schema: Place, at path: String, depth: Int = 0, hasUID: (Shape) -> Bool) -> Content? {
    guard depth < deepest, let view = SchemaView(schema) else { return nil }
    if let items = view.items { return .list(keyPath: "", element: items) }
    let shape = Shape(of: schema)
    guard !shape.properties.isEmpty else {
      return view.branches.isEmpty ? nil : .item(keyPath: "", object: schema)
    }
    let itself = Content.item(keyPath: "", object: schema)
    if hasUID(shape) || shape.flattened != nil { return itself }
    let lists = shape.properties.compactMap { property -> (key: String, keyPath: String, element: Place)? in
      guard let items = SchemaView(property.place)?.items, isObject(items) else { return nil }
      return (property.key, property.keyPath, items)
    }
    let others = shape.properties.filter { property in !lists.contains { $0.key == property.key } }
    // `/groups.json` with `groups` and more is a list of groups, whatever the rest is.
    let named = names(of: path)
    if let list = lists.first(where: { named.contains(plain($0.key)) }) {
      return .list(keyPath: list.keyPath, element: list.element)
    }
    if let object = others.first(where: {
      named.contains(plain($0.key)) && isObject($0.place) && hasUID(Shape(of: $0.place))
    }) {
      return .item(keyPath: object.keyPath, object: object.place)
    }
    let isObjectOfData = others.contains { isObject($0.place) && !isAbout($0.key) }
    if !lists.isEmpty, !(isObjectOfData && lists.allSatisfy { $0.key == related }) {
      guard others.allSatisfy({ isAbout($0.key) }) else { return itself }
      // `messages` are about the response, unless they are objects of their own.
      let main = lists.filter { $0.key != related && (hasUID(Shape(of: $0.element)) || !isAbout($0.key)) }
      let all = main + lists.filter { $0.key == related }
      if !main.isEmpty, all.count > 1 { return .several(all) }
      let list = main.first ?? lists[0]
      return .list(keyPath: list.keyPath, element: list.element)
    }
    let objects = others.filter { isObject($0.place) && !isAbout($0.key) }
    guard objects.count == 1, others.allSatisfy({ isAbout($0.key) || $0.key == objects[0].key }) else { return itself }
    let inner = content(of: objects[0].place, at: path, depth: depth + 1, hasUID: hasUID)
    return inner?.below(objects[0].keyPath) ?? .item(keyPath: objects[0].keyPath, object: objects[0].place)
  }

  /// The last word of a path, and its singular.
  private static func names(of path: String) -> Set<String> {
    let last =
      path.split(separator: "/").last { !$0.hasPrefix("{") }?.split(separator: ".").first.map(String.init) ?? ""
    return [plain(last), plain(Words.singular(last))]
  }

  private static func plain(_ key: String) -> String { Words.split(key).joined().lowercased() }

  private static func isObject(_ place: Place) -> Bool {
    guard let view = SchemaView(place) else { return false }
    return !Shape(of: view.place).properties.isEmpty || view.branches.contains { !Shape(of: $0).properties.isEmpty }
  }
}
