/// Which names in a file become which declared ones.
enum Renames {
  typealias Name = (name: String, former: [String])

  struct Move: Equatable {
    let from: String
    let to: String
  }

  /// The names that change hands in a circle, each with the one that it had: of `a`, formerly `b`, and `b`, formerly `a`.
  ///
  /// The names alone do not tell a file in which they have changed hands from one in which they have not.
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
  ///   - declared: The declared names, each with the former ones. No former name is in it twice.
  ///   - there: The names in the file, each with the one that it had before a circle, if it was in one.
  ///   - waiting: Declared names that are not among them, and have values in the file all the same.
  /// - Throws: A text that says what is not clear.
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
    // A circle of which the file has all names, and has not changed them yet.
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
        // A name that another property has by now is the last choice: most likely it is that one's.
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

  /// A name that was another one before a circle of names changed hands, which the declaration does not say.
  struct Doubt: Error {
    let name: String
    let former: String
  }

  /// The moves one after the other. Where a name is taken until another one is free, both go by names that no property has.
  static func inOrder(_ moves: [Move], there: some Sequence<String>) -> [Move] {
    // SQLite ignores the case of names.
    let taken = Set(there.map { $0.lowercased() })
    guard moves.contains(where: { taken.contains($0.to.lowercased()) }) else { return moves }
    // No comma: that is the sign of a list's table.
    func between(_ name: String) -> String { "_new \(name)" }
    return moves.map { Move(from: $0.from, to: between($0.to)) } + moves.map { Move(from: between($0.to), to: $0.to) }
  }
}
