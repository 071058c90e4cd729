/// Follows the keys of an envelope down to the value under a key path.
///
/// The rule is that of ``JSONObject/subscript(_:)``, for keys that come one after the other: at each level a key is
/// part of the path if the rest of the path is that key, or goes on with a dot behind it and the key holds an object.
/// The longest of those is taken, and the last of equal ones. A value that was found under another key is dropped. Where
/// elements of it were handed out already, the text is refused. The first byte of a value shows whether its key holds
/// an object.
struct JSONKeyPathWatch {
  private let path: [UInt8]
  private var levels = [Level(start: 0)]
  /// The length of the key met last.
  private var length = 0

  /// One of the watched objects, from the top.
  private struct Level {
    /// Where in the path the rest begins that is looked for here.
    let start: Int
    /// The length of the key that was taken; -1 while there is none.
    var taken = -1
    /// The lengths of shorter keys that hold objects: were the taken one to go, the longest of them would count. A path
    /// has few.
    var others: Set<Int> = []
  }

  init(_ keyPath: String) { path = Array(keyPath.utf8) }

  enum Finding: Equatable {
    /// Not on the path.
    case other
    /// The path may go on in its value: `meetValue` is to be told of the value that begins there.
    case part
    /// The path ends with its value.
    case whole
    /// Something was found under another value already, which counts no more.
    case again
  }

  /// The meaning of a value whose key is part of the path.
  enum Turn: Equatable {
    /// The value that was found before still counts.
    case same
    /// The path goes on in the value.
    case descent
    /// No value that was found before counts.
    case loss
    /// As `Finding.again`.
    case again
  }

  /// How many levels are watched.
  var depth: Int { levels.count }

  /// - Parameters:
  ///   - depth: of the object that the key is in, from 1.
  ///   - wasFound: whether elements were handed out.
  mutating func meet(key: [UInt8], atDepth depth: Int, wasFound: Bool) -> Finding {
    if depth < levels.count { levels.removeLast(levels.count - depth) }
    guard let level = levels.last else { return .other }
    let rest = path[level.start...]
    guard rest.starts(with: key) else { return .other }
    if key.count == rest.count {
      if wasFound { return .again }
      levels[levels.count - 1].taken = key.count
      return .whole
    }
    guard rest.dropFirst(key.count).first == UInt8(ascii: "."), level.taken < rest.count else { return .other }
    length = key.count
    return .part
  }

  /// Goes on at the value of the key met last, which is part of the path.
  mutating func meetValue(isObject: Bool, wasFound: Bool) -> Turn {
    let last = levels.count - 1
    let taken = levels[last].taken
    if length < taken {
      if isObject { levels[last].others.insert(length) } else { levels[last].others.remove(length) }
      return .same
    }
    guard isObject else {
      // A longer key takes the place of one before only if it holds an object.
      if length > taken { return .same }
      // One of the others counts, which has been passed over, or nothing does.
      if wasFound || !levels[last].others.isEmpty { return .again }
      levels[last].taken = -1
      return .loss
    }
    if wasFound { return .again }
    if taken >= 0, taken < length { levels[last].others.insert(taken) }
    levels[last].taken = length
    levels.append(Level(start: levels[last].start + length + 1))
    return .descent
  }
}
