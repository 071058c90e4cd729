import EntityJSON

extension PathPattern {
  /// Why a path does not match, the first reason from the left.
  package enum Mismatch: Sendable, Hashable {
    /// The components at an index differ.
    case component(Int)
    /// The path ends before the pattern's component at an index.
    case ends(Int)
    /// The pattern ends before the path's component at an index.
    case goesOn(Int)
  }

  /// Compares from the left. A pattern has one `**` at most, at its end, so the comparison never goes back.
  ///
  /// - Parameters:
  ///   - path: A path below the base.
  ///   - comparisons: Counts the components that are compared, at most as many as the pattern has.
  /// - Returns: `nil` for a path that matches.
  package func mismatch(_ path: RoutePath, _ comparisons: inout Int) -> Mismatch? {
    if components == [.rest] { return nil }
    for (index, component) in components.enumerated() {
      guard index < path.components.count else { return .ends(index) }
      comparisons += 1
      guard component.matches(path.components[index]) else { return .component(index) }
      if component == .rest { return nil }
    }
    return path.components.count > components.count ? .goesOn(components.count) : nil
  }

  /// The parameters of a path that matches.
  func parameters(of path: RoutePath) -> PathParameters {
    var parameters = PathParameters()
    for (index, component) in components.enumerated() {
      switch component {
      case .literal: break
      case .digits(let name?), .any(let name?): parameters[name] = path.components[index]
      case .digits(nil), .any(nil): parameters.unnamed.append(path.components[index])
      case .affixed(let affixes):
        for (name, value) in affixes.values(in: path.components[index]) ?? [:] { parameters[name] = value }
      case .rest: parameters.rest = Array(path.components[index...])
      }
    }
    return parameters
  }

  /// A mismatch, for people.
  package func text(of mismatch: Mismatch, _ path: RoutePath) -> String {
    switch mismatch {
    case .component(let index):
      switch components[index] {
      case .literal(let text, _): "\(path.quoted(index)) is not '\(text.escaped)'"
      case .digits: "\(path.quoted(index)) is not a number"
      case .affixed: "\(path.quoted(index)) has not the form '\(components[index])'"
      case .any, .rest: "\(path.quoted(index)) is an empty component or a dot segment"
      }
    case .ends(let index): "the path ends before '\(components[index])'"
    case .goesOn(let index): "the path goes on with \(path.quoted(index))"
    }
  }
}
