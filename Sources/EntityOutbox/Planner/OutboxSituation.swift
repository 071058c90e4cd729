package import EntityStore

/// All facts that the plan of an outbox depends on, at one moment. It is a value, and a plan is a function of it.
package struct OutboxSituation: Sendable {
  /// The objects with pending changes, of all entities.
  package var pending: [RowKey: PendingFacts] = [:]
  /// The entries of the file, by number.
  package var entries: [Int64: OutboxEntry] = [:]
  /// The numbers of the entries whose requests this sender has under way. A claim that is not among them has lost its
  /// sender.
  package var underWay: Set<Int64> = []
  /// Those of ``underWay`` whose requests only ask or read.
  package var asking: Set<Int64> = []
  /// The objects that are about to be claimed.
  package var claiming: Set<RowKey> = []
  /// The objects that could not be claimed, as they are now. They take no place of others.
  package var unready: Set<RowKey> = []
  /// The reasons of those for which a rule could not make a request yet, for a person.
  package var reasons: [RowKey: String] = [:]
  /// The rules of each entity, by the entity's number. An entity without rules has no outbox.
  package var rules: [Int: PlanningRules] = [:]
  /// The time at which a paused outbox sends again, in seconds since 1970: `.infinity` until something else ends the pause.
  package var pausedUntil: Double?
  /// When another sender may have had requests under way at last, in seconds since 1970. A claim that it left has an
  /// unknown end since then.
  package var alone = -Double.infinity
  /// The present time in seconds since 1970.
  package var now: Double = 0
  /// The most requests that are under way at once.
  package var width = 4
  /// How many of the requests under way are of uploads, those that are about to be claimed included.
  package var uploading = 0
  /// How many of the changes under way are in the batch of an earlier one, and so have no request of their own.
  package var shared = 0

  package init() {}

  /// Whether an entry is of a command that uploads a file.
  package func isUpload(_ entry: OutboxEntry) -> Bool { rules[entry.key.entity]?.isUpload(entry) == true }

  /// - Parameter number: The number of an entry; `nil` for a change without one.
  func isUpload(_ number: Int64?) -> Bool { number.flatMap { entries[$0] }.map { isUpload($0) } ?? false }
}

/// The rules of an entity that a plan depends on.
package struct PlanningRules: Sendable {
  /// Whether a create may be sent twice: it has an idempotency key, or the server knows the uid that was made here.
  package var repeatsCreates = false
  /// Whether the server can be asked for the object of a create whose answer was lost.
  package var looksUpCreates = false
  /// Whether commands have an idempotency key.
  package var repeatsCommands = false
  /// The commands that upload a file, by their names, and whether a request of each may be sent twice.
  package var uploads: [String: Bool] = [:]
  /// Whether objects are sent once nothing that refers to them is pending.
  package var isLast = false
  /// Whether objects that a delete rule deleted with another one are sent before that one; otherwise they are not sent.
  package var sendsPartsFirst = false
  /// The batches that the entity's changes go with; `nil` where each change has a request of its own.
  package var batch: Batch?

  /// Whether an entry is of a command that uploads a file.
  func isUpload(_ entry: OutboxEntry) -> Bool {
    entry.kind == .command && !uploads.isEmpty && entry.name.map { uploads[$0] != nil } == true
  }

  /// Requests that carry several changes.
  package struct Batch: Sendable, Hashable {
    /// Changes with one number go together, whatever their entities are.
    package let number: Int
    /// The most changes of a request.
    package let limit: Int

    package init(number: Int, limit: Int) { (self.number, self.limit) = (number, limit) }
  }

  package init() {}
}
