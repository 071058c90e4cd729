/// Finds which names in a file become which declared names.
enum Renames {
  typealias Name = (name: String, former: [String])

  struct Move: Equatable {
    let from: String
    let to: String
  }

  /// The names that change hands in a circle, each with its former name: `a`, formerly `b`, and `b`, formerly `a`.
  ///
  /// The names alone do not show whether the names of a file have already changed hands.
  static func circles(_ declared: [Name]) -> [String: String] {
    let names = Set(declared.map(\.name))
    var next: [String: String] = [:]
    for (name, former) in declared {
      next[name] = former.first { $0 != name && names.contains($0) }
    }
    return next.filter { name, _ in
      var current = next[name]
      for _ in declared.indices {
        guard let here = current else { return false }
        if here == name { return true }
        current = next[here]
      }
      return false
    }
  }

  /// The names that change.
  ///
  /// - Parameters:
  ///   - declared: The declared names, each with its former names. No former name is in it twice.
  ///   - there: The names in the file. A name that was in a circle has its name from before the circle.
  ///   - waiting: Declared names that are not in `there`, but have values in the file.
  /// - Throws: ``Doubt`` where it is not clear what a name was.
  static func moves(_ declared: [Name], there: [String: String?], waiting: Set<String> = []) throws(Doubt) -> [Move] {
    let names = Set(declared.map(\.name))
    let circles = circles(declared)
    var moves: [String: String] = [:]
    var settled = waiting
    for (name, former) in declared {
      guard let before = there[name] ?? nil else { continue }
      guard former.contains(before) else { throw Doubt(name: name, former: before) }
      settled.insert(name)
    }
    // A circle whose names are all in the file, and have not changed hands yet.
    for (name, former) in circles where members(of: name, circles).allSatisfy({ there.keys.contains($0) }) {
      guard !settled.contains(name) else { continue }
      moves[former] = name
      settled.insert(name)
    }
    var isDone = false
    while !isDone {
      isDone = true
      for (name, former) in declared where !settled.contains(name) {
        if there.keys.contains(name), moves[name] == nil { continue }
        let found = former.filter { $0 != name && there.keys.contains($0) && moves[$0] == nil }
        // A name that another property has now is the last choice: most likely it belongs to that property.
        guard let from = found.first(where: { !names.contains($0) }) ?? found.first else { continue }
        moves[from] = name
        settled.insert(name)
        isDone = false
      }
    }
    return moves.map { Move(from: $0.key, to: $0.value) }.sorted { $0.to < $1.to }
  }

  private static func members(of name: String, _ circles: [String: String]) -> [String] {
    var members = [name]
    while let next = circles[members[members.count - 1]], next != name, members.count <= circles.count {
      members.append(next)
    }
    return members
  }

  /// The file says that a name took part in a circle, and the declaration does not say so.
  struct Doubt: Error {
    let name: String
    let former: String
  }

  /// The moves one after the other. Where a name is taken until another one is free, the moves go by way of names that
  /// no property has.
  static func inOrder(_ moves: [Move], there: some Sequence<String>) -> [Move] {
    // SQLite ignores the case of names.
    let taken = Set(there.map { $0.lowercased() })
    guard moves.contains(where: { taken.contains($0.to.lowercased()) }) else { return moves }
    // The name has no comma, because a comma marks the table of a list.
    func between(_ name: String) -> String { "_new \(name)" }
    return moves.map { Move(from: $0.from, to: between($0.to)) } + moves.map { Move(from: between($0.to), to: $0.to) }
  }
}
