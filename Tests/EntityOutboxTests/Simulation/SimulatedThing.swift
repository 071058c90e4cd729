import EntityClient

/// The knowledge of one object that a person at a client has, beside the store.
struct SimulatedThing: Sendable {
  let table: SimulatedTable
  /// The tokens of each field in the order of the saves.
  var saves: [String: [String]] = [:]
  /// The number of tokens of each field that need not come to the server: they were given up.
  var givenUp: [String: Int] = [:]
  var wasDropped = false
  /// The last target of each link that was set here; an empty text for none.
  var links: [String: String] = [:]
  /// The codes of the last list of skills that was set here; `nil` where no list needs to come to the server.
  var skills: [String]?
  /// Whether a power cut may have taken links or lists that were set here, or may have left them: they may be sent yet.
  var hasLostLinks = false
  /// The skills that lists of this worker had or lost by edits here, by their codes.
  var pairs: [String: Pair] = [:]
  /// The number of saves that concern the object.
  var edits = 0
  var deletedHere = false
  /// Whether a response deleted it here.
  var deletedThere = false
  var restored = 0
  /// The sum of what was added to the score.
  var added = 0
  /// The commands in their order, each with the number of tokens that each field had by then.
  var commands: [Command] = []
  /// Whether a change was refused: the edit that mends it comes after commands that were given before it.
  var wasRefused = false

  struct Pair: Sendable {
    let isMember: Bool
    /// The number of lists that the server had got when the edit was saved.
    let since: Int
  }

  struct Command: Sendable {
    let token: String
    let before: [String: Int]
    /// The number of commands before it.
    let number: Int
    var isGivenUp = false
  }

  /// All that was saved need not come to the server.
  mutating func giveUp() {
    wasDropped = true
    links = [:]
    forgetSkills()
    giveUpValues()
  }

  mutating func setSkills(_ codes: [String], since: Int) {
    skills = codes
    for skill in Set(codes).union(pairs.keys) {
      let isMember = codes.contains(skill)
      if pairs[skill]?.isMember != isMember { pairs[skill] = Pair(isMember: isMember, since: since) }
    }
  }

  mutating func forgetSkills() { (skills, pairs) = (nil, [:]) }

  mutating func giveUpValues() { for (field, tokens) in saves { givenUp[field] = tokens.count } }
}

/// A person's knowledge of all objects.
struct SimulatedMemory: Sendable {
  var things: [String: SimulatedThing] = [:]
  /// The codes of all objects that were ever seen.
  var codes: [AnyEntityID: String] = [:]
}
