/// Follows the keys of an envelope down to the value under a key path.
///
/// A key may contain dots: at each level it is part of the path if the rest of the path is that key, or goes on with a dot
/// behind it.
struct JSONKeyPathWatch {
  private let path: [UInt8]
  /// For each watched level from the top, where in the path the rest begins that is looked for there.
  private var levels = [0]
  /// For each level on the way to what was found, how long its key is.
  private var used: [Int] = []

  init(_ keyPath: String) { path = Array(keyPath.utf8) }

  enum Finding: Equatable {
    /// Not on the path.
    case other
    /// The path goes on in its value, if that is an object.
    case part
    /// The path ends with its value.
    case whole
    /// As the two before, for something that was found under another value already.
    case again
  }

  /// How many levels are watched.
  var depth: Int { levels.count }

  private var pending = 0

  /// - Parameter depth: of the object that the key is in, from 1.
  mutating func meet(key: [UInt8], atDepth depth: Int, wasFound: Bool) -> Finding {
    if depth < levels.count { levels.removeLast(levels.count - depth) }
    guard let start = levels.last else { return .other }
    let rest = path[start...]
    let isWhole = rest.elementsEqual(key)
    guard isWhole || (rest.starts(with: key) && rest.dropFirst(key.count).first == UInt8(ascii: ".")) else {
      return .other
    }
    if wasFound { return depth <= used.count && key.count < used[depth - 1] ? .other : .again }
    used.removeLast(max(0, used.count - depth + 1))
    used.append(key.count)
    pending = start + key.count + 1
    return isWhole ? .whole : .part
  }

  /// Goes on in the object that is the value of the key met last.
  mutating func descend() { levels.append(pending) }
}
