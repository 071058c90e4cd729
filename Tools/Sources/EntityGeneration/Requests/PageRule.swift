/// How the next page of a list is asked for.
struct PageRule {
  /// The Swift code of the pagination.
  let code: String
  /// The parameters that the pagination sets itself.
  let parameters: Set<String>
  /// The parameter with the size of a page, and the size that is asked for.
  var size: SchemaModel.KeyedName?

  private static let sizeNames: Set<String> = [
    "per_page", "perpage", "limit", "page_size", "pagesize", "size", "count", "page[size]", "per-page", "page_limit",
    "first",
    "max_results", "maxresults", "page[limit]",
  ]

  /// `nil` where the document does not say it.
  init?(_ operation: AnsweredOperation) {
    let parameters = operation.raw.parameters(in: "query")
    func parameter(_ names: Set<String>) -> (name: String, schema: SchemaView?)? {
      for parameter in parameters {
        guard let name = parameter.node["name"]?.string, names.contains(name.lowercased()) else { continue }
        return (name, parameter["schema"].flatMap { SchemaView($0) })
      }
      return nil
    }
    let size = parameter(Self.sizeNames)
    let sizeArgument = size.map { "size: \(SwiftNames.argument($0.name)), \(SwiftText.literal($0.name))" }
    let number = size.map { SchemaModel.KeyedName(name: SwiftNames.argument($0.name), key: Self.pageSize($0.schema)) }
    let total = Self.key(in: operation, Self.totals).map { "total: .body(\(SwiftText.literal($0)))" }
    if let page = parameter(["page", "page_number", "pagenumber", "page[number]", "p"]),
      page.schema?.type != "string" || size != nil
    {
      let isFromZero = page.schema?.node["default"]?.int == 0 || page.schema?.node["minimum"]?.int == 0
      let parts = [SwiftText.literal(page.name), isFromZero ? "from: 0" : nil, sizeArgument, total].compactMap(\.self)
      code = ".numbers(\(parts.joined(separator: ", ")))"
      (self.parameters, self.size) = ([page.name, size?.name].asSet, number)
    } else if let offset = parameter(["offset", "skip", "start_at", "startat", "page[offset]"]),
      offset.schema?.type != "string"
    {
      let parts = [SwiftText.literal(offset.name), sizeArgument, total].compactMap(\.self)
      code = ".offsets(\(parts.joined(separator: ", ")))"
      (self.parameters, self.size) = ([offset.name, size?.name].asSet, number)
    } else if let cursor = parameter(Self.cursors),
      let key = Self.key(in: operation, Self.nextCursors(cursor.name))
        ?? (Self.positions.contains(cursor.name.lowercased()) ? nil : Self.nextToken(in: operation))
    {
      code =
        ".cursor(\(SwiftText.literal(key)), parameter: \(SwiftText.literal(cursor.name)), mayBeAbsent: true)"
      (self.parameters, self.size) = ([cursor.name], nil)
    } else if let key = Self.key(in: operation, Self.nextURLs) {
      code = ".body(\(SwiftText.literal(key)), mayBeAbsent: true)"
      (self.parameters, self.size) = ([], nil)
    } else if operation.raw.hasLinkHeader {
      (code, self.parameters, self.size) = (".link", [], nil)
    } else {
      return nil
    }
  }

  private static let cursors: Set<String> = [
    "cursor", "after", "page_token", "pagetoken", "next_token", "nexttoken", "marker", "continue", "continuation_token",
    "page[after]", "page[cursor]", "pagination_token", "next_cursor", "offset", "page",
  ]

  /// The parameters among ``cursors`` that mostly take a number, beside a `next` that is a URL.
  private static let positions: Set<String> = ["offset", "page"]

  private static func nextCursors(_ parameter: String) -> [String] {
    [
      "next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken", "next_marker",
      "cursor",
      "after", "continue", "next_page", "end_cursor", "endCursor", "offset", parameter,
    ]
  }

  /// The key of a `next` that is no URL, as far as the document says: the parameter takes it as it is.
  private static func nextToken(in operation: AnsweredOperation) -> String? {
    key(in: operation, ["next"], where: { !$0.saysURL }).flatMap { key in
      key.lowercased().contains("links.") ? nil : key
    }
  }

  private static let nextURLs = [
    "next", "next_page_uri", "next_page_url", "nextPage", "next_url", "nextLink", "@odata.nextLink",
  ]

  private static let totals = ["total", "total_count", "totalCount", "total_results", "totalResults", "total_items"]

  /// The path of one of the keys, in the body or in an object beside the list.
  private static func key(
    in operation: AnsweredOperation, _ names: [String], where isWanted: (SchemaView) -> Bool = { _ in true }
  ) -> String? {
    let shape = Shape(of: operation.body)
    let isURLWanted = names == nextURLs
    func find(_ shape: Shape) -> String? {
      for name in names {
        guard let property = shape[name], let view = SchemaView(property.place), isWanted(view) else { continue }
        if isURLWanted, view.type == "string" || view.type == nil { return property.keyPath }
        if !isURLWanted, ["string", "integer", "number", nil].contains(view.type) { return property.keyPath }
      }
      return nil
    }
    guard operation.keyPath != "" else { return nil }
    if let key = find(shape) { return key }
    for property in shape.properties {
      let words = [
        "meta", "links", "pagination", "paging", "_links", "page", "cursors", "next_page", "response_metadata", "data",
      ]
      guard words.contains(property.key.lowercased()) else { continue }
      let inner = Shape(of: property.place)
      if let key = find(inner) { return "\(property.keyPath).\(key)" }
      for nested in inner.properties where words.contains(nested.key.lowercased()) {
        if let key = find(Shape(of: nested.place)) { return "\(property.keyPath).\(nested.keyPath).\(key)" }
      }
      if let next = inner["next"], let href = Shape(of: next.place)["href"], isURLWanted {
        return "\(property.keyPath).next.\(href.keyPath)"
      }
    }
    return nil
  }

  /// As many as the server gives, and at most 100.
  private static func pageSize(_ schema: SchemaView?) -> String {
    if let most = schema?.node["maximum"]?.int, most > 0 { return String(min(most, 100)) }
    return String(max(schema?.node["default"]?.int ?? 100, 1))
  }
}

extension SchemaView {
  /// Whether the document says of a text that it is a URL.
  fileprivate var saysURL: Bool {
    if let format = node["format"]?.string, ["uri", "url", "uri-reference", "iri", "iri-reference"].contains(format) {
      return true
    }
    let examples = [node["example"]?.string] + (node["examples"]?.array ?? []).map(\.string)
    if examples.contains(where: { $0?.contains("/") == true || $0?.contains("?") == true }) { return true }
    let words = (node["description"]?.string ?? "").lowercased().split { !$0.isLetter }
    return words.contains { ["url", "uri", "link", "urls", "links"].contains($0) }
  }
}

extension [String?] {
  fileprivate var asSet: Set<String> { Set(compactMap(\.self)) }
}

extension SwiftNames {
  /// The label of a parameter of a request.
  ///
  /// - Parameter isOfObject: Whether the request is a function of an object, and so uses its uid.
  static func argument(_ key: String, isOfObject: Bool = false) -> String {
    let name = Words.lowerCamel(key)
    if name.isEmpty { return "value" }
    return used.contains(name) || isOfObject && usedByObjects.contains(name) ? name + "Value" : name
  }

  /// The names in the bodies of functions, which a parameter would hide.
  private static let used: Set<String> = [
    "self", "init", "query", "options", "inout", "progress", "modify", "resource", "await", "pages", "get", "parts",
    "values", "request", "sending", "kinds",
  ]
  private static let usedByObjects: Set<String> = ["uid", "post", "put", "patch", "delete"]
}
