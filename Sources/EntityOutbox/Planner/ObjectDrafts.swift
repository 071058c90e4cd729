import EntityStore

/// The lines of one object, in the order of sending: its entries by number, the marks last.
struct ObjectDrafts {
  private(set) var lines: [DraftLine] = []
  /// The entries whose changes are no more.
  private(set) var over: [Int64] = []

  private let key: RowKey
  /// The facts of the object; `nil` where nothing is pending, or nothing that is sent.
  private let facts: PendingFacts?
  /// Whether a delete rule deleted the object with another one, and the deletion of that one is enough.
  private let goesWithAnother: Bool
  private let rules: PlanningRules
  /// Whether the object is deleted here, by itself or with another one.
  private let isDeleted: Bool
  private let underWay: Set<Int64>
  private let asking: Set<Int64>
  private let now: Double
  private let alone: Double

  /// The way in which a change of an entry goes on.
  private enum Course {
    case over
    /// The entry has no line: it waits for the end of the deletion of the object.
    case waits
    /// The entry has a line of its own.
    case apart(DraftLine)
    /// The request is made from the marks, so that the line has both the entry and the marks.
    case withMarks(DraftLine)
  }

  /// The line of an object without entries.
  static func line(of facts: PendingFacts) -> DraftLine {
    var line = DraftLine(facts.key, action(of: facts), number: facts.number)
    line.isMadeFromMarks = true
    if facts.kind != .deletion { line.properties = facts.edited }
    return line
  }

  /// - Parameters:
  ///   - entries: The entries of the object, by number.
  ///   - isClaiming: Whether the object is about to be claimed.
  init(
    _ key: RowKey, _ pending: PendingFacts?, entries: [OutboxEntry], rules: PlanningRules, isClaiming: Bool,
    in situation: OutboxSituation
  ) {
    self.key = key
    self.rules = rules
    (underWay, asking, now, alone) = (situation.underWay, situation.asking, situation.now, situation.alone)
    goesWithAnother = pending.map { Self.goesWithAnother($0, rules) } ?? false
    facts = goesWithAnother ? nil : pending
    isDeleted = pending?.kind == .deletion
    collect(entries)
    putConflictFirst()
    if !rules.uploads.isEmpty { putUploadsLast(entries) }
    if isClaiming, !lines.isEmpty {
      lines[0].isSending = true
      lines[0].hold = nil
      lines[0].isRetryOfRefused = false
    }
  }

  /// Whether the deletion of the object that caused this one is enough.
  static func goesWithAnother(_ facts: PendingFacts, _ rules: PlanningRules) -> Bool {
    facts.kind == .deletion && facts.cause != nil && !rules.sendsPartsFirst
  }

  private static func action(of facts: PendingFacts) -> PlannedLine.Action {
    switch facts.kind {
    case .insert: .create
    case .edit: .update
    case .deletion: .deletion
    }
  }

  // MARK: The order

  private mutating func collect(_ entries: [OutboxEntry]) {
    let lastCommand = entries.lastIndex { $0.kind == .command && !rules.isUpload($0) } ?? -1
    let courses = entries.enumerated().map { index, entry in
      // Edits that a later request carries are no answer to the refusal of this one.
      let carried = entries[(index + 1)...].lazy.filter { $0.kind == .update && $0.hasProperties }.map(\.edited).max()
      return course(of: entry, isBeforeCommand: index < lastCommand, carriedLater: carried ?? 0)
    }
    let carrier = courses.lastIndex { if case .withMarks = $0 { true } else { false } }
    var carried = carrier != nil
    for (index, course) in courses.enumerated() {
      switch course {
      case .over:
        over.append(entries[index].number)
      case .waits: break
      case .apart(let line):
        lines.append(line)
        carried = carried || covers(entries[index])
      case .withMarks(let line) where index == carrier:
        lines.append(line)
      case .withMarks:
        // The marks are sent once, by the last entry that is made from them.
        over.append(entries[index].number)
      }
    }
    var creates = lines.indices.filter { lines[$0].action == .create || lines[$0].action == .lookUp }
    if let facts, !carried {
      var line = Self.line(of: facts)
      if facts.kind == .insert, creates.isEmpty {
        lines.append(line)
        return putCreateFirst()
      }
      if line.action == .create { line.action = .update }
      lines.append(line)
    }
    // The first create makes the object; a later one finds it made.
    if !creates.isEmpty { creates.removeFirst() }
    for index in creates where lines[index].isMadeFromMarks { lines[index].action = .update }
    putCreateFirst()
  }

  /// A command can't be sent before its object is there.
  private mutating func putCreateFirst() {
    guard let command = lines.firstIndex(where: { $0.action == .command }),
      let create = lines.firstIndex(where: { $0.action == .create || $0.action == .lookUp }), command < create
    else { return }
    lines.insert(lines.remove(at: create), at: command)
  }

  /// The update before a command, whose request is yet to be made, may have the property that a person decides about.
  private mutating func putConflictFirst() {
    guard let conflict = lines.firstIndex(where: { $0.hold == .conflict && $0.action == .update }),
      let update = lines[..<conflict].firstIndex(where: { $0.action == .update && $0.isMadeFromMarks })
    else { return }
    lines.insert(lines.remove(at: conflict), at: update)
  }

  /// Uploads come as late as they can: an edit does not wait for a file. A command may count on the file, and waits.
  private mutating func putUploadsLast(_ entries: [OutboxEntry]) {
    let uploads = Set(entries.lazy.filter(rules.isUpload).map(\.number))
    guard !uploads.isEmpty else { return }
    var ordered: [DraftLine] = []
    var later: [DraftLine] = []
    for line in lines {
      if let entry = line.entry, uploads.contains(entry), !line.isSending {
        later.append(line)
        continue
      }
      if line.action == .command, !line.isSending {
        ordered += Self.heldLast(later)
        later = []
      }
      ordered.append(line)
    }
    lines = ordered + Self.heldLast(later)
  }

  /// A file that waits for a person holds up no other file.
  private static func heldLast(_ uploads: [DraftLine]) -> [DraftLine] {
    uploads.filter { !$0.isHeld } + uploads.filter(\.isHeld)
  }

  /// Whether the request of an entry carries all marks of the object, so that they need no line of their own.
  private func covers(_ entry: OutboxEntry) -> Bool {
    guard let facts, facts.number <= entry.edited else { return false }
    switch entry.kind {
    case .create, .update: return facts.kind != .deletion
    case .deletion: return facts.kind == .deletion
    case .command: return false
    }
  }

  // MARK: An entry

  /// - Parameter carriedLater: The highest number of the edits that a later request of the object carries.
  private func course(of entry: OutboxEntry, isBeforeCommand: Bool, carriedLater: Int64) -> Course {
    // The deletion may be undone. A deletion that the server took ends the upload.
    if isDeleted, rules.isUpload(entry), !underWay.contains(entry.number) { return .waits }
    switch entry.state {
    case .sending where underWay.contains(entry.number):
      var line = apart(entry)
      line.isSending = true
      if asking.contains(entry.number) { line.action = entry.kind == .create ? .lookUp : .read }
      return .apart(line)
    case .sending: return lost(entry, isBeforeCommand)
    case .waiting: return waiting(entry, isBeforeCommand)
    case .refused: return refused(entry, hold: .refused, next: entry.next, carriedLater)
    case .conflict: return refused(entry, hold: .conflict, next: nil, carriedLater)
    case .gone:
      // The row is gone, so that neither marks nor their absence say anything of the change.
      var line = apart(entry)
      line.hold = .gone
      return .apart(line)
    }
  }

  /// A claim whose sender is gone, or whose answer was lost: the server may have acted on the request.
  private func lost(_ entry: OutboxEntry, _ isBeforeCommand: Bool) -> Course {
    // A claim of a later time than now was made before the clock was set back.
    let end = max(entry.time > now ? -.infinity : entry.time, alone)
    let earliest = max(end + OutboxPlanner.lostPause, moment(entry.next ?? -.infinity))
    var line = apart(entry)
    line.earliest = earliest
    line.isRetryOfRefused = entry.isRefusedClaim
    // Neither a repetition nor a question would tell more.
    if entry.next == .infinity, entry.kind == .create || entry.kind == .command {
      line.hold = .unknown
      return .apart(line)
    }
    // Each request of an upload is made anew.
    if rules.isUpload(entry), rules.uploads[entry.name ?? ""] == true { return .apart(line) }
    switch entry.kind {
    case .create where rules.repeatsCreates && entry.hasRequest,
      .command where rules.repeatsCommands && entry.hasRequest:
      line.isFrozen = true
    case .create where rules.looksUpCreates:
      line.action = .lookUp
    case .create, .command:
      line.hold = .unknown
    case .update, .deletion:
      return repeated(entry, isBeforeCommand, mayHaveReached: true, earliest)
    }
    return .apart(line)
  }

  /// A request that had no effect, or one that a repetition does not double.
  private func waiting(_ entry: OutboxEntry, _ isBeforeCommand: Bool) -> Course {
    let earliest = moment(entry.next ?? -.infinity)
    switch entry.kind {
    case .command:
      var line = apart(entry)
      (line.earliest, line.isFrozen) = (earliest, entry.hasRequest)
      return .apart(line)
    // The server has nothing of the create, and the object is no longer to be made.
    case .create where !rules.repeatsCreates && facts?.kind != .insert && entry.kept == nil: return .over
    case .create where entry.hasRequest:
      var line = apart(entry)
      (line.earliest, line.isFrozen) = (earliest, true)
      return .apart(line)
    case .create:
      if facts != nil { return .withMarks(marked(entry, earliest)) }
      // An object that was made here and deleted before its first request is nothing. A kept row is all that is left
      // of the object.
      guard entry.kept != nil else { return .over }
      var line = apart(entry)
      line.earliest = earliest
      return .apart(line)
    case .update, .deletion:
      // A request that was never sent left nothing at the server that a read would show.
      return repeated(entry, isBeforeCommand, mayHaveReached: entry.attempts > 0, earliest)
    }
  }

  /// An update or a deletion that is sent again.
  private func repeated(
    _ entry: OutboxEntry, _ isBeforeCommand: Bool, mayHaveReached: Bool, _ earliest: Double
  ) -> Course {
    // The deletion of the object that caused this one takes the update along.
    if goesWithAnother { return .over }
    guard facts != nil else {
      guard entry.kind == .update, mayHaveReached else { return .over }
      var line = apart(entry)
      (line.action, line.earliest) = (.read, earliest)
      return .apart(line)
    }
    // A command counts on the values that the object had when the command was given. A server that knows the key of
    // a request answers a second one by the first body.
    guard entry.kind == .update, isBeforeCommand || (entry.idempotencyKey != nil && entry.hasRequest) else {
      return .withMarks(marked(entry, earliest))
    }
    // The deletion says all that is left of the object. It may be undone.
    guard !isDeleted || entry.hasRequest else { return .waits }
    var line = apart(entry)
    (line.earliest, line.isFrozen, line.isMadeFromMarks) = (earliest, entry.hasRequest, !entry.hasRequest)
    if let facts, line.isMadeFromMarks {
      line.properties = entry.ownProperties.map(facts.edited.intersection) ?? facts.edited
      line.later = facts.edited.subtracting(line.properties)
      if line.properties.isEmpty, !line.later.isEmpty { return .over }
    }
    return .apart(line)
  }

  /// A refused request, or one that conflicts with the server's object.
  private func refused(
    _ entry: OutboxEntry, hold: PlannedLine.State, next: Double?, _ carriedLater: Int64
  ) -> Course {
    var line: DraftLine
    if entry.kind == .command {
      line = apart(entry)
    } else {
      guard let facts, isStillPending(entry.kind, facts) else { return .over }
      line = marked(entry, -.infinity)
      // The object was edited since: the edit is the person's answer.
      if facts.number > max(entry.edited, carriedLater) { return .withMarks(line) }
    }
    if let next, next < .infinity {
      (line.earliest, line.isRetryOfRefused) = (moment(next), true)
    } else {
      line.hold = hold
    }
    return entry.kind == .command ? .apart(line) : .withMarks(line)
  }

  /// Whether the marks still have the change of a refused entry.
  private func isStillPending(_ kind: OutboxEntry.Kind, _ facts: PendingFacts) -> Bool {
    switch kind {
    case .create: facts.kind == .insert
    case .deletion: facts.kind == .deletion
    case .update, .command: true
    }
  }

  // MARK: Lines

  /// A line of the entry alone.
  private func apart(_ entry: OutboxEntry) -> DraftLine {
    let action: PlannedLine.Action =
      switch entry.kind {
      case .create: .create
      case .update: .update
      case .deletion: .deletion
      case .command: .command
      }
    var line = DraftLine(key, action, entry: entry.number, number: entry.edited)
    // Later edits are not in the request, and `sent` has names of properties that a plan does not know.
    if let facts, covers(entry), entry.kind != .deletion { line.properties = facts.edited }
    return line
  }

  /// A line of the marks that ends the entry.
  private func marked(_ entry: OutboxEntry, _ earliest: Double) -> DraftLine {
    guard let facts else { return apart(entry) }
    var line = Self.line(of: facts)
    (line.entry, line.earliest) = (entry.number, earliest)
    return line
  }

  /// A moment that is further ahead than any wait comes from a clock that was set back since: it counts as now.
  private func moment(_ time: Double) -> Double {
    time < .infinity && time > now + OutboxPlanner.longestWait ? -.infinity : time
  }
}

extension OutboxEntry {
  /// Whether the entry has what a second request needs to be the first one, byte for byte.
  var hasRequest: Bool { request != nil || body != nil }
  /// Whether the entry says which properties its request has.
  var hasProperties: Bool { hasRequest || sent != nil }
}
