/// Follows the keys of an envelope down to the value under a key path.
///
/// The rule is that of ``ResponseObject/subscript(_:)``, for keys that come one after the other: at each level a key is part
/// of the path if the rest of the path is that key, or goes on with a dot behind it and the key holds an object. Of those
/// the longest is taken, of equal ones the last. What was found under another one is dropped for it, and where that can't be
/// undone the text is refused.
struct JSONKeyPathWatch {
  private let path: [UInt8]
  private var levels = [Level(start: 0)]

  /// One of the watched objects, from the top.
  private struct Level {
    /// Where in the path the rest begins that is looked for here.
    let start: Int
    /// The length of the key that was taken; -1 while there is none.
    var taken = -1
    /// The shortest key that was part of the path.
    var shortest = Int.max
  }

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

  /// Where the path goes on in the value of the key met last.
  private var pending = 0

  /// - Parameters:
  ///   - depth: of the object that the key is in, from 1.
  ///   - wasFound: whether elements were handed out.
  mutating func meet(key: [UInt8], atDepth depth: Int, wasFound: Bool) -> Finding {
    if depth < levels.count { levels.removeLast(levels.count - depth) }
    guard let level = levels.last else { return .other }
    let rest = path[level.start...]
    let isWhole = rest.elementsEqual(key)
    guard isWhole || (rest.starts(with: key) && rest.dropFirst(key.count).first == UInt8(ascii: ".")) else {
      return .other
    }
    let last = levels.count - 1
    levels[last].shortest = min(level.shortest, key.count)
    if key.count < level.taken { return .other }
    if wasFound { return .again }
    // Were the value of an equal key no object, a shorter one would count that has been passed over.
    if key.count == level.taken, !isWhole, level.shortest < key.count { return .again }
    // A longer key takes the place of one before only if it holds an object.
    if isWhole || key.count == level.taken { levels[last].taken = isWhole ? key.count : -1 }
    pending = level.start + key.count + 1
    return isWhole ? .whole : .part
  }

  /// Whether a key of the innermost watched object is taken, so that what was found under it counts until another is.
  var hasOther: Bool { levels.last.map { $0.taken >= 0 } ?? false }

  /// Goes on in the object that is the value of the key met last.
  mutating func descend() {
    let last = levels.count - 1
    levels[last].taken = pending - levels[last].start - 1
    levels.append(Level(start: pending))
  }
}
