/// Follows the keys of an envelope down to the value under a key path.
///
/// The rule is that of ``JSONObject/subscript(_:)``, for keys that come one after the other. At each level, a key is
/// part of the path in two cases: the rest of the path equals the key, or the rest continues with a dot after the key,
/// and the key holds an object. The longest such key counts, and of equal keys the last. A value that was found under
/// another key is dropped. Where elements of that value were already handed out, the text is refused. The first byte of
/// a value shows whether its key holds an object.
struct JSONKeyPathWatch {
  private let path: [UInt8]
  private var levels = [Level(start: 0)]
  /// The length of the key that was met last.
  private var length = 0

  /// One of the watched objects, from the top.
  private struct Level {
    /// The place in the path where the rest begins for this level.
    let start: Int
    /// The length of the key that counts; -1 while there is none.
    var taken = -1
    /// The lengths of shorter keys that hold objects. If the key that counts is dropped, the longest of these counts. A
    /// path has few of them.
    var others: Set<Int> = []
  }

  init(_ keyPath: String) { path = Array(keyPath.utf8) }

  enum Finding: Equatable {
    /// Not on the path.
    case other
    /// The path may continue in its value: `meetValue` must be called for the value that begins there.
    case part
    /// The path ends with its value.
    case whole
    /// Something was already found under another value, which no longer counts.
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
    /// The same as `Finding.again`.
    case again
  }

  /// The number of watched levels.
  var depth: Int { levels.count }

  /// - Parameters:
  ///   - depth: of the object that has the key, from 1.
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

  /// Continues at the value of the key that was met last, which is part of the path.
  mutating func meetValue(isObject: Bool, wasFound: Bool) -> Turn {
    let last = levels.count - 1
    let taken = levels[last].taken
    if length < taken {
      if isObject { levels[last].others.insert(length) } else { levels[last].others.remove(length) }
      return .same
    }
    guard isObject else {
      // A longer key replaces an earlier one only if it holds an object.
      if length > taken { return .same }
      // Either one of the other keys counts, whose value was skipped, or none does.
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
