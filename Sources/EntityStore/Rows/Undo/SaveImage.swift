import Synchronization

/// The change of the file by a save: each row as it was before, and as it was after. An undo goes back to the former.
struct SaveImage: Sendable {
  /// A value that changed. Columns are numbered as the table of the file has them.
  struct Cell: Sendable {
    let column: Int
    let before: StoredValue
    let after: StoredValue
  }

  enum Change: Sendable {
    /// With the values of all columns.
    case inserted([StoredValue])
    /// With the marks of local edits, also where they did not change. Without derived columns, which follow from the
    /// others.
    case updated([Cell])
    case deleted([StoredValue])
  }

  struct Row: Sendable {
    let key: RowKey
    let change: Change
  }

  /// The notes of a row's local edits, by property: base, has_base, time, number and made of `EditNotes`.
  struct Notes: Sendable {
    let before: [String: [StoredValue]]
    let after: [String: [StoredValue]]

    /// Whether the row has the notes from after the save, but for the numbers of commits.
    func areAfter(_ present: [String: [StoredValue]]) -> Bool {
      present.mapValues { $0.prefix(3) } == after.mapValues { $0.prefix(3) }
    }
  }

  /// A pair that was taken out of a many-to-many relationship, with its mark; `nil` where it was not.
  struct Removal: Sendable {
    let links: Int
    let ends: [StoredValue]
    let before: StoredValue?
    let after: StoredValue?
  }

  /// A deletion that the server is yet to hear of; `nil` where there was none.
  struct Deletion: Sendable {
    let key: RowKey
    let before: DeletionNote?
    let after: DeletionNote?
  }

  /// The names of the columns, by the number of the entity.
  var columns: [Int: [String]] = [:]
  /// In the order of entities and row ids.
  var rows: [Row] = []
  var notes: [RowKey: Notes] = [:]
  var removals: [Removal] = []
  var deletions: [Deletion] = []
  /// The number of the save's commit.
  var generation: Int64 = 0
  /// The age of the file: how often all its rows had been replaced. An image of an earlier age can't be undone.
  var age: Int64 = 0

  var isEmpty: Bool { rows.isEmpty && notes.isEmpty && removals.isEmpty && deletions.isEmpty }

  /// The memory that it takes, about.
  var bytes: Int {
    var bytes = 64 * (rows.count + removals.count + deletions.count + notes.count)
    for row in rows { bytes += Self.bytes(row.change) }
    for notes in notes.values {
      for values in notes.before.values { bytes += Self.bytes(values) }
      for values in notes.after.values { bytes += Self.bytes(values) }
    }
    for pair in removals { bytes += Self.bytes(pair.ends) + Self.bytes([pair.before, pair.after].compactMap(\.self)) }
    for deletion in deletions {
      bytes += Self.bytes(deletion.before?.values ?? []) + Self.bytes(deletion.after?.values ?? [])
    }
    return bytes
  }

  static func bytes(_ change: Change) -> Int {
    switch change {
    case .inserted(let values), .deleted(let values): bytes(values)
    case .updated(let cells): cells.reduce(0) { $0 + bytes([$1.before, $1.after]) }
    }
  }

  private static func bytes(_ values: [StoredValue]) -> Int {
    values.reduce(0) { sum, value in
      switch value {
      case .null, .integer, .real: sum + 24
      case .text(let text): sum + 24 + text.utf8.count
      case .blob(let data): sum + 24 + data.count
      }
    }
  }
}

/// Takes the image of a save out of the writer's turn.
final class SaveImageBox: Sendable {
  enum Content: Sendable {
    /// The save changed nothing.
    case nothing
    case image(SaveImage)
    /// The save can't be undone.
    case lost
  }

  /// The largest image that is taken.
  let bytes: Int
  private let state = Mutex(Content.nothing)

  init(bytes: Int) { self.bytes = bytes }

  var content: Content {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// The save is about to be committed.
  func noteGeneration(_ generation: Int64) {
    state.withLock {
      guard case .image(var image) = $0 else { return }
      image.generation = generation
      $0 = .image(image)
    }
  }
}
