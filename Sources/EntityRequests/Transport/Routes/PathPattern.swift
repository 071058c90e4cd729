/// A pattern of paths, such as `users/{uid}/posts`: it reads the parameters from a path, and makes paths of parameters.
///
/// ```swift
/// let posts = try PathPattern("users/{uid:#}/posts")
/// posts.match("users/42/posts")?["uid"]                 // "42"
/// try posts.path(["uid": 42])                           // "users/42/posts"
/// try PathPattern("search/{term}").path(["term": "a/b"])  // "search/a%2Fb"
/// ```
///
/// | component | stands for |
/// | --- | --- |
/// | `users` | itself, upper and lower case told apart |
/// | `#`, `{name:#}` | one component of ASCII digits |
/// | `*`, `{name}` | any one component |
/// | `{uid}.json`, `Users({uid})` | one component with these texts around the parameters |
/// | `**` | all that is left, one component or more; alone it stands for the root too |
///
/// A component is compared after it was percent-decoded, so `%2F` separates nothing. `%2A`, `%23` and `%3F` in a pattern
/// are the characters `*`, `#` and `?`. A slash at either end makes no difference to a match, and stands in the paths
/// that the pattern makes. In a parameter between single quotes, `Users('{uid}')`, each quote of the value is doubled, as
/// in OData 4.01 (part 2, §5.1.1.1).
public struct PathPattern: Sendable, Hashable, CustomStringConvertible {
  enum Component: Sendable, Hashable, CustomStringConvertible {
    /// A text, decoded, and as it stands in a URL.
    case literal(String, encoded: String)
    case digits(name: String?)
    case any(name: String?)
    /// Texts around parameters.
    case affixed(Affixes)
    case rest

    /// The names of its parameters.
    var names: [String] {
      switch self {
      case .digits(let name), .any(let name): [name].compactMap(\.self)
      case .affixed(let affixes): affixes.names
      case .literal, .rest: []
      }
    }

    var description: String {
      switch self {
      case .literal(_, let encoded): encoded
      case .digits(let name): name.map { "{\($0):#}" } ?? "#"
      case .any(let name): name.map { "{\($0)}" } ?? "*"
      case .affixed(let affixes): affixes.description
      case .rest: "**"
      }
    }
  }

  let components: [Component]
  let beginsWithSlash: Bool
  let endsWithSlash: Bool

  /// The parameters that a path has; `nil` for a path of another form.
  ///
  /// The cost is one comparison for each component of the pattern, whatever the path is.
  ///
  /// - Parameter path: A path as it stands in a URL, percent-encoded. A query and a fragment behind it are not looked at.
  ///   A component that is no percent-encoded UTF-8 is taken as it is written.
  public func match(_ path: String) -> PathParameters? {
    let path = RoutePath(path)
    var comparisons = 0
    return mismatch(path, &comparisons) == nil ? parameters(of: path) : nil
  }

  /// The pattern, percent-encoded as a URL is: another pattern of this text is equal to this one.
  public var description: String {
    let text = components.map(\.description).joined(separator: "/")
    return (beginsWithSlash ? "/" : "") + text + (endsWithSlash ? "/" : "")
  }
}

extension PathPattern.Component {
  /// True when this component matches a component of a path.
  ///
  /// A wildcard matches neither an empty component nor a dot segment, because no path can be made from these.
  func matches(_ text: String) -> Bool {
    switch self {
    // Compares bytes, as servers and uids do: to Swift, the two forms of an accented letter are equal.
    case .literal(let own, _): own.utf8.elementsEqual(text.utf8)
    case .digits: text.isDigits
    case .any: text.isPathSegment
    case .affixed(let affixes): affixes.values(in: text) != nil
    case .rest: true
    }
  }
}

extension String {
  /// True for one ASCII digit or more.
  var isDigits: Bool { !isEmpty && utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }

  /// True for a text that can be a segment of a URL. Encoding a dot segment does not help: `%2E%2E` means the same (RFC
  /// 3986 §6.2.2.2), which is another resource.
  var isPathSegment: Bool { !isEmpty && self != "." && self != ".." }
}
