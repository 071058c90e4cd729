extension DecodingError {
  /// The error and its place, for a message, without values of the body and without keys that only the body has.
  var shown: String {
    switch self {
    case .typeMismatch(let type, let context): "\(Self.place(context.codingPath)) is not of type '\(type)'"
    case .valueNotFound(let type, let context):
      "\(Self.place(context.codingPath)) has no value, and one of type '\(type)' is needed"
    case .keyNotFound(let key, let context): "\(Self.place(context.codingPath + [key])) is missing"
    case .dataCorrupted(let context): "\(Self.place(context.codingPath)) has a value that does not fit"
    @unknown default: "a value does not fit"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "the whole value" }
    var text = ""
    for key in path { text += part(key, isFirst: text.isEmpty) }
    return text.count > 200 ? "'\(text.prefix(200))…'" : "'\(text)'"
  }

  /// The keys of a dictionary are values of the body. A type's own keys are the cases of an enum, without payload.
  private static func part(_ key: any CodingKey, isFirst: Bool) -> String {
    if let position = key.intValue, key.stringValue == "Index \(position)" { return "[\(position)]" }
    let mirror = Mirror(reflecting: key)
    let isOwn = mirror.displayStyle == .enum && mirror.children.isEmpty
    return (isFirst ? "" : ".") + (isOwn ? key.stringValue : "…")
  }
}
