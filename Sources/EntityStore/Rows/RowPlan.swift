/// A row that was found, as a plan looks at it.
protocol FoundValues: ~Copyable {
  var row: RowState { get }
  func value(_ property: Int) -> StoredValue
  /// Whether the row has exactly `value`.
  func has(_ value: StoredValue, _ property: Int) -> Bool
  func link(_ property: Int) -> Int64
}

extension FoundRow: FoundValues {}

/// The change that new values make to a row that is there.
///
/// It is a function of the row, the values, their source and the rules of the write: it reads no file, and changes
/// none. `RowWriter.update` carries it out. A row and a batch follow the same rules: see ``RowDecision``.
struct RowPlan {
  /// For which rows the caller asks which columns stay: for none, for rows with such columns, or for each row.
  enum Asks { case nobody, whereSomeStay, always }

  /// The rules of a write.
  struct Rules {
    /// Whether the write makes a placeholder an object.
    var fills = true
    /// Whether the row must then have all relationships that it requires.
    var isComplete = true
    /// Whether a response as the source has the object: then the server has it.
    var isShown = true
    /// Whether the changes of the unit are the server's.
    var isOfServer = false
    /// For which rows the caller asks which columns stay.
    var asks = Asks.nobody
    /// The time of the write, in seconds since 1970.
    var now: Int64 = 0
  }

  /// The row before the write.
  private(set) var row: RowState
  /// The values that are written: the source's values, and values that follow from them.
  private(set) var values: RowValues
  /// The columns that the source has.
  let given: ColumnMask
  /// The columns of ``given`` that the source may write.
  private(set) var admitted: ColumnMask
  /// The columns that get other values.
  private(set) var changed = ColumnMask()
  /// The columns that differ and stay, with their values in the row; `nil` where nobody asks.
  private(set) var staying: (columns: MergePolicy.Staying, mine: [Int: StoredValue])?
  /// The source's values of columns that stay as they were edited here.
  private(set) var heard = RowValues(count: 0)
  /// The edits that end, also in columns with the same value.
  private(set) var ended = ColumnMask()
  /// The values before the write of the columns that it marks as edited.
  private(set) var bases: [Int: EditNote] = [:]
  /// The lists that were edited, whose members are rows of their own.
  let lists: ColumnMask
  /// Whether a placeholder becomes an object.
  private(set) var fills: Bool
  /// Whether the server has an object that was made here.
  private(set) var endsInsertion: Bool
  /// The links among the changed columns, with their old targets.
  private(set) var links: [(index: Int, old: Int64)] = []
  /// The links to the objects whose lists have the row at another place.
  private(set) var moves: [(link: Int, pk: Int64)] = []
  private let source: RowSource
  private let rules: Rules
  /// The source's word on the properties that no response had; `nil` where its values say it.
  private let missing: StoredValue?

  init<Row: FoundValues & ~Copyable>(
    _ model: EntityModel, _ found: borrowing Row, _ values: RowValues, _ source: RowSource, _ rules: Rules
  ) {
    (self.source, self.rules) = (source, rules)
    row = found.row
    self.values = values
    if !model.derived.isEmpty { self.values.remove(model.derived) }
    missing = model.coverage.flatMap { values.mask.contains($0) ? values[$0] : nil }
    if let coverage = model.coverage { self.values.remove(ColumnMask(coverage)) }
    given = self.values.mask
    admitted = given
    lists = source.lists
    fills = rules.fills && row.isPlaceholder
    if case .effect = source { fills = false }
    endsInsertion =
      row.marks.isNew && rules.isShown
      && (source.shows(model, self.values) || rules.isOfServer && source.isEdit)
    admit(model, found)
    compare(model, found)
    if let coverage = model.coverage { cover(model, found, coverage) }
    if let age = model.age { hear(model, found, age) }
    follow(model, found)
    if rules.isOfServer, source.isEdit { ended = changed.intersection(row.edited) }
    noteBases(model, found)
  }

  // MARK: Which columns the source may write

  private mutating func admit<Row: FoundValues & ~Copyable>(_ model: EntityModel, _ found: borrowing Row) {
    guard case .response(let policy, let newer) = source else { return }
    var staying = policy.staying(of: given, edited: row.edited, newer: newer)
    if model.uidParts != nil { staying.keepUID(model.identity.intersection(given)) }
    admitted.subtract(staying.all)
    ended = admitted.intersection(row.edited)
    if endsInsertion {
      // The server has the object under the uid that it was given here.
      for index in model.identity.intersection(given).intersection(row.edited).indices
      where found.has(values[index], index) {
        ended.insert(index)
      }
    }
    // An older answer does not say what the server has by now.
    let heard = staying.edited.subtracting(newer).subtracting(model.identity)
    if !heard.isEmpty {
      self.heard = values
      self.heard.remove(given.subtracting(heard))
    }
    guard rules.asks == .always || rules.asks == .whereSomeStay && !staying.isEmpty else { return }
    var mine: [Int: StoredValue] = [:]
    for index in staying.all.indices {
      if found.has(values[index], index) { staying.remove(ColumnMask(index)) } else { mine[index] = found.value(index) }
    }
    self.staying = (staying, mine)
  }

  // MARK: Which columns change

  private mutating func compare<Row: FoundValues & ~Copyable>(_ model: EntityModel, _ found: borrowing Row) {
    for index in admitted.indices where !found.has(values[index], index) { changed.insert(index) }
    for index in changed.intersection(model.links).indices { links.append((index, found.link(index))) }
    guard !model.derived.isEmpty else { return }
    let derived = model.derived(from: changed)
    guard !derived.isEmpty else { return }
    var sources = RowValues(count: model.properties.count)
    for index in model.sources(of: derived).indices {
      sources[index] = changed.contains(index) ? values[index] : found.value(index)
    }
    var results = RowValues(count: model.properties.count)
    model.derive(derived, from: sources, into: &results)
    for index in derived.indices where !found.has(results[index], index) {
      values[index] = results[index]
      changed.insert(index)
    }
  }

  /// Takes the properties that the source has out of those that no response had. Nothing adds to them.
  private mutating func cover<Row: FoundValues & ~Copyable>(
    _ model: EntityModel, _ found: borrowing Row, _ coverage: Int
  ) {
    let before = model.missing(found.value(coverage))
    guard !before.isEmpty else { return }
    let left = before.left(
      by: source.covers(given).union(values.heardLists), saying: missing.map { model.missing($0) })
    guard left != before else { return }
    values[coverage] = model.names(left)
    changed.insert(coverage)
  }

  /// Notes that a response has the object, unless a note of a short time ago says so.
  private mutating func hear<Row: FoundValues & ~Copyable>(
    _ model: EntityModel, _ found: borrowing Row, _ age: Int
  ) {
    guard case .response = source, rules.isShown, !given.subtracting(model.identity).isEmpty || fills,
      model.isOld(found.value(age), at: rules.now)
    else { return }
    values[age] = .integer(rules.now)
    changed.insert(age)
  }

  /// Follows changes of ordered lists. A row that leaves a list, or comes into one by its link, has the place of its
  /// row id.
  private mutating func follow<Row: FoundValues & ~Copyable>(_ model: EntityModel, _ found: borrowing Row) {
    let sorting = model.sortKeys.intersection(changed)
    for property in sorting.isEmpty ? [] : model.properties {
      guard let key = property.sortKey, sorting.contains(key), !changed.contains(property.index) else { continue }
      moves.append((property.index, found.link(property.index)))
    }
    for position in model.positions.indices {
      guard let link = model.properties[position].positionOf else { continue }
      if changed.contains(position) {
        if !changed.contains(link) { moves.append((link, found.link(link))) }
      } else if changed.contains(link), !values.mask.contains(position), !found.has(.null, position) {
        values[position] = .null
        changed.insert(position)
      }
    }
  }

  // MARK: Edits

  /// The changed columns, and the lists, that the source marks as edited.
  func edited(_ model: EntityModel) -> ColumnMask { source.edited(model, changed, isOfServer: rules.isOfServer) }

  private mutating func noteBases<Row: FoundValues & ~Copyable>(_ model: EntityModel, _ found: borrowing Row) {
    // The values of a placeholder, and of an object that was made here, are not the server's.
    guard !model.isLinks, !row.isPlaceholder, !row.marks.isNew else { return }
    // A lazy value is neither read nor written a second time: the note has no base. Nobody knows the server's value of a
    // property that no response had.
    let unknown = model.coverage.map { model.missing(found.value($0)).known } ?? ColumnMask()
    let marked = edited(model).subtracting(row.edited).intersection(model.stored).subtracting(model.lazy)
      .subtracting(unknown)
    for index in marked.indices { bases[index] = EditNote(base: found.value(index)) }
  }

  /// The edited lists that have marks already: their notes get a new time.
  var listsEditedAgain: ColumnMask {
    rules.isOfServer ? ColumnMask() : lists.intersection(row.edited)
  }

  /// The marks that the row gets.
  ///
  /// - Parameter isReturning: Whether the object was deleted here, and the server still has it.
  func marks(_ model: EntityModel, isReturning: Bool) -> EditMarks {
    var marks = row.marks
    marks.known = edited(model).union(row.edited).subtracting(ended)
    if endsInsertion || isReturning { marks.isNew = false }
    return marks
  }

  // MARK: The write

  /// Whether the row is to be written.
  var isWrite: Bool {
    !changed.isEmpty || fills || !ended.isEmpty || endsInsertion
      || !rules.isOfServer && !lists.subtracting(row.edited).isEmpty
  }

  /// The required relationships that the row would lack.
  func missing(_ model: EntityModel) -> ColumnMask {
    guard rules.isComplete, !model.required.isEmpty, fills || !row.isPlaceholder else { return ColumnMask() }
    let asked = fills ? model.required : model.required.intersection(changed)
    return asked.subtracting(changed.subtracting(values.nulls))
  }

  /// The row has absorbed the row that had its uid.
  ///
  /// - Parameters:
  ///   - row: The row after that.
  ///   - kept: The columns that keep an edit of the absorbed row.
  ///   - notes: The notes of the absorbed row's edits.
  mutating func absorbed(
    _ model: EntityModel, row: RowState, kept: ColumnMask, notes: [Int: EditNote],
    repointing: (RowValues) -> RowValues
  ) {
    self.row = row
    changed.subtract(model.derived)
    changed.subtract(kept)
    bases.merge(notes.mapValues { EditNote(base: $0.base) }) { own, _ in own }
    fills = fills && row.isPlaceholder
    // A link to the absorbed row is one to the row itself.
    values = repointing(values)
  }
}

extension RowSource {
  /// Whether values say that the server has the object.
  func shows(_ model: EntityModel, _ row: RowValues) -> Bool {
    switch self {
    case .response: true
    case .effect: false
    case .edit(let edit): model.shows(edit.fromResponse) { row.link($0) }
    }
  }
}

extension EntityModel {
  /// Whether columns of a response show that the server has the object. A cleared link shows nothing: another object's
  /// list lacks this object, and a list also lacks objects that the server does not know.
  func shows(_ columns: ColumnMask, link: (Int) -> Int64) -> Bool {
    columns.indices.contains { index in
      guard case .toOne = properties[index].kind else { return true }
      return link(index) != 0
    }
  }
}
