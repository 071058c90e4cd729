/// The names of all generated types, each given once: an enum must not be called as an entity is.
struct TypeNames {
  /// Put in front of a name that Swift, Foundation or EntityClient has.
  let prefix: String
  private var taken: Set<String> = []
  private let decisions: Decisions
  private var chosen: Set<String> = []
  /// The first chosen name that can't be given.
  private(set) var problem: GenerationError?

  init(prefix: String, _ decisions: Decisions) {
    (self.prefix, self.decisions) = (prefix, decisions)
    // The list of the entities, and files that would have the name of an entity's: a module has each name once.
    taken = ["\(prefix)Schema".lowercased(), "kinds", "entities", "requests"]
  }

  /// - Parameters:
  ///   - name: The name in the document.
  ///   - longer: A longer one, for a name that is taken.
  mutating func take(_ name: String, orElse longer: String? = nil) -> String {
    if let choice = decisions.name(name), chosen.insert(name).inserted {
      let isReserved = Self.reserved.contains(choice)
      if !taken.insert(choice.lowercased()).inserted || isReserved {
        let reason = isReserved ? "Swift, Foundation or EntityClient has that name" : "another type has that name"
        problem = problem ?? GenerationError(Settings.file, "'\(name)' can't be called '\(choice)': \(reason).")
      }
      return choice
    }
    let candidates = [name, longer].compactMap(\.self).map { candidate -> String in
      let swift = Words.upperCamel(candidate)
      return swift.isEmpty ? "Object" : Self.reserved.contains(swift) ? prefix + swift : swift
    }
    let base = candidates.first { !taken.contains($0.lowercased()) } ?? candidates.last ?? "Object"
    var unique = base
    var number = 2
    while !taken.insert(unique.lowercased()).inserted {
      unique = "\(base)\(number)"
      number += 1
    }
    return unique
  }

  /// The prefix for a document by its title: `Spotify Web API` is `Spotify`.
  static func prefix(for title: String) -> String {
    let words = Words.split(title).filter {
      !["the", "api", "openapi", "rest", "v1", "v2", "v3"].contains($0.lowercased())
    }
    let prefix = Words.upperCamel(words.first ?? "")
    return prefix.isEmpty || reserved.contains(prefix) ? prefix + "API" : prefix
  }
}
