import EntityJSON

extension PathPattern {
  /// A path with the given values, percent-encoded: no character of a value has a meaning in the URL.
  ///
  /// - Parameter parameters: A value for each wildcard, and no more.
  /// - Returns: The path, with a slash at its ends if the pattern has one. A verb resolves it as every resource: from
  ///   the host if it begins with a slash, else from the base path.
  /// - Throws: ``RequestError`` of kind `invalidRequest` when a value is missing, when the pattern has no place for a
  ///   value, when a value is empty or a dot segment, `.` or `..`, which no URL can hold, or when a value for `#` is
  ///   not a number.
  public func path(_ parameters: PathParameters = [:]) throws -> String {
    var unnamed = parameters.unnamed[...]
    var segments: [String] = []
    for component in components {
      switch component {
      case .literal(_, let encoded): segments.append(encoded)
      case .digits(let name), .any(let name):
        let shown = name.map { "'\($0.escaped)'" } ?? "number \(parameters.unnamed.count - unnamed.count + 1)"
        guard let value = name.map({ parameters[$0] }) ?? unnamed.popFirst() else {
          throw refusal("the value of parameter \(shown) is missing")
        }
        if case .digits = component, !value.isDigits {
          throw refusal("the value of parameter \(shown) is not a number")
        }
        segments.append(try segment(value, "of parameter \(shown)"))
      case .affixed(let affixes): segments.append(try segment(affixes, parameters))
      case .rest:
        guard !parameters.rest.isEmpty || components.count == 1 else { throw refusal("'**' has no value") }
        segments += try parameters.rest.map { try segment($0, "for '**'") }
      }
    }
    try checkAllAreUsed(parameters, unnamed)
    // Without segments, a slash at the end would be the root of the host.
    let end = endsWithSlash && !segments.isEmpty ? "/" : ""
    return (beginsWithSlash ? "/" : "") + segments.joined(separator: "/") + end
  }

  private func segment(_ value: String, _ place: String) throws -> String {
    guard value.isPathSegment else {
      throw refusal("a value \(place) is \(value.isEmpty ? "empty" : "'\(value)'"), which no URL can hold")
    }
    return PercentEncoding.component(value)
  }

  private func segment(_ affixes: Affixes, _ parameters: PathParameters) throws -> String {
    func value(_ name: String, _ isNumber: Bool) throws -> String {
      let shown = "'\(name.escaped)'"
      guard let value = parameters[name] else { throw refusal("the value of parameter \(shown) is missing") }
      guard !isNumber || value.isDigits else { throw refusal("the value of parameter \(shown) is not a number") }
      _ = try segment(value, "of parameter \(shown)")
      return value
    }
    // A value between dots may make a dot segment.
    guard try affixes.decoded(value).isSafeSegment else { throw refusal("its values make a dot segment") }
    return try affixes.encoded(value)
  }

  private func checkAllAreUsed(_ parameters: PathParameters, _ unnamed: ArraySlice<String>) throws {
    let names = Set(components.flatMap(\.names))
    if let unknown = parameters.named.keys.filter({ !names.contains($0) }).min() {
      throw refusal("the pattern has no parameter '\(unknown.escaped)'")
    }
    if !unnamed.isEmpty { throw refusal("there are more values than wildcards without a name") }
    if !parameters.rest.isEmpty, components.last != .rest { throw refusal("the pattern has no '**'") }
  }

  private func refusal(_ reason: String) -> RequestError {
    RequestError(.invalidRequest, "No path can be made of the pattern '\(self)': \(reason).")
  }
}
