/// Changes the members of one stored collection, in the transaction of a unit. A member that stays where it is is not
/// written.
package struct CollectionMembers {
  let writer: CollectionWriter
  let key: AnswerKey
  let id: Int64

  private static let table = CollectionTables.memberTable

  /// How the beginning of a list meets the members that are here.
  package struct Meeting: Sendable, Equatable {
    /// How many of the rows are members that an answer has had in the list.
    package var known = 0
    /// How many members stand before the last one of them and are not among the rows.
    package var gone = 0
    /// Whether the members among the rows have the order in which they stand here.
    package var isInOrder = true
    /// Whether the last of the rows is a member.
    package var endsWithMember = false
    /// Whether members stand behind all of the rows.
    package var hasTail = false
    /// The places of the members that the rows replace: up to the last member among them.
    var first: Int64 = .min
    var last: Int64 = 0
  }

  /// - Parameters:
  ///   - pks: The rows of the list's beginning, each once.
  ///   - keepsEarlier: Whether members may stand before the beginning.
  package func meeting(_ pks: [Int64], keepsEarlier: Bool = false) throws -> Meeting {
    // An object that was made here stands where nobody said: it does not show which part of the list a page is.
    let places = try places(of: pks, "AND is_placed = 0")
    var meeting = Meeting(known: places.count)
    let last = pks.last { places[$0] != nil }.flatMap { places[$0] } ?? .min
    meeting.endsWithMember = pks.last.map { places[$0] != nil } ?? false
    let known = pks.compactMap { places[$0] }
    meeting.last = last
    if keepsEarlier { meeting.first = known.min() ?? .min }
    meeting.isInOrder = zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
    let upTo = try count(
      "place BETWEEN ?3 AND ?2 AND is_placed = 0", [.integer(last), .integer(meeting.first)])
    meeting.gone = upTo - known.count { $0 <= last }
    meeting.hasTail =
      try first(
        "is_placed = 0 AND place > ?3 AND pk NOT IN (SELECT value FROM _entity_values(?2))",
        [Self.list(pks), .integer(last)]) != nil
    return meeting
  }

  /// How many members there are, without those that no answer has had yet. Objects that are deleted here count until the
  /// server has the deletion.
  package func count() throws -> Int { try count("is_placed = 0") }

  /// How many of some rows are members, those among them that no answer has had yet.
  package func count(among pks: [Int64]) throws -> Int { try places(of: pks).count }

  /// Those of some rows of an entity that are there, or that the server has while they are deleted here. A row that another one
  /// has absorbed is that one.
  package func existing(_ rows: [Int64], of entity: String) throws -> [Int64] {
    let model = writer.schema.entity(ofTable: entity)
    var seen: Set<Int64> = []
    let pks = rows.map { pk in model.map { writer.rows.collisions.survivor($0, pk) } ?? pk }
      .filter { seen.insert($0).inserted }
    let lost = Set(
      try writer.connection.rows(
        "SELECT pk FROM (SELECT value AS pk FROM _entity_values(?2)) WHERE \(CollectionTables.isLost(of: entity))",
        [.text(entity), Self.list(pks)]
      ) { $0.int64(0) })
    return pks.filter { !lost.contains($0) }
  }

  /// The placeholders among some rows of an entity.
  package func bare(among pks: [Int64], of entity: String) throws -> Set<Int64> {
    guard let model = writer.schema.entity(ofTable: entity), model.hasPlaceholders else { return [] }
    return Set(
      try writer.connection.rows(
        "SELECT _pk FROM \(model.table) WHERE _pk IN (SELECT value FROM _entity_values(?)) AND _placeholder = 1",
        [Self.list(pks)]
      ) { $0.int64(0) })
  }

  // MARK: Changes

  /// Makes rows the only members. Objects that were made here and that no answer has had stay where they stand.
  package func replace(_ pks: [Int64]) throws {
    try remove("is_placed = 0 AND pk NOT IN (SELECT value FROM _entity_values(?2))", [Self.list(pks)])
    try withoutPlaced(pks, first: false) {
      try arrange(pks, after: try last("is_placed = 1 AND place < 0"), before: nil)
    }
  }

  /// Puts rows in the place of all members up to the last one that is among them; see ``meeting(_:)``.
  ///
  /// - Parameter isEnd: Whether the list ends with the rows: the members behind them leave it.
  package func splice(_ pks: [Int64], _ meeting: Meeting, isEnd: Bool = false) throws {
    if isEnd {
      try remove(
        "is_placed = 0 AND place > ?3 AND pk NOT IN (SELECT value FROM _entity_values(?2))",
        [Self.list(pks), .integer(meeting.last)])
    }
    try remove(
      "is_placed = 0 AND place BETWEEN ?4 AND ?3 AND pk NOT IN (SELECT value FROM _entity_values(?2))",
      [Self.list(pks), .integer(meeting.last), .integer(meeting.first)])
    let next = try first(
      "place > ?3 AND pk NOT IN (SELECT value FROM _entity_values(?2))", [Self.list(pks), .integer(meeting.last)])
    let before =
      meeting.first == .min
      ? try placed(before: next)
      : try last(
        "place < ?3 AND pk NOT IN (SELECT value FROM _entity_values(?2))", [Self.list(pks), .integer(meeting.first)])
    try arrange(pks, after: before, before: next)
  }

  /// Puts rows behind all others, but before the objects at the end that were made here. Members among the rows come to
  /// the end.
  package func append(_ pks: [Int64]) throws {
    let others = "pk NOT IN (SELECT value FROM _entity_values(?2))"
    try withoutPlaced(pks, first: false) {
      try arrange(pks, after: try last(others, [Self.list(pks)]), before: nil)
    }
  }

  /// Puts rows before all others, but behind the objects at the beginning that were made here.
  package func prepend(_ pks: [Int64]) throws {
    let others = "pk NOT IN (SELECT value FROM _entity_values(?2))"
    try withoutPlaced(pks, first: true) {
      try arrange(pks, after: nil, before: try first(others, [Self.list(pks)]))
    }
  }

  /// Runs `body` while the objects at one end that were made here are out of the list, and puts them back at that end: pages
  /// that come one after the other would soon find no number between the members and these objects.
  ///
  /// - Parameter pks: Rows that an answer has: they are not put back.
  private func withoutPlaced(_ pks: [Int64], first isFirst: Bool, _ body: () throws -> Void) throws {
    let member = isFirst ? try first("is_placed = 0") : try last("is_placed = 0")
    let side = isFirst ? "place < ?3" : "place > ?3"
    let placed = try writer.connection.rows(
      "SELECT pk FROM \(Self.table) WHERE collection = ?1 AND is_placed = 1 AND \(side) "
        + "AND pk NOT IN (SELECT value FROM _entity_values(?2)) ORDER BY place",
      // In a list without other members, the places of objects at the beginning are below zero.
      [.integer(id), Self.list(pks), .integer(member ?? (isFirst ? 0 : -1))]
    ) { $0.int64(0) }
    try remove(placed)
    try body()
    try place(placed, first: isFirst)
  }

  /// Adds the rows that are no members yet, before the others. Members stay where they are.
  ///
  /// - Parameter earlier: The member behind which the rows come, where it is one.
  /// - Returns: The last one that was added.
  package func add(_ pks: [Int64], behind earlier: Int64?) throws -> Int64? {
    let known = try places(of: pks)
    let new = pks.filter { known[$0] == nil }
    if let earlier, let place = try places(of: [earlier])[earlier] {
      try arrange(new, after: place, before: try first("place > ?2", [.integer(place)]))
    } else {
      try prepend(new)
    }
    try settle(pks.filter { known[$0] != nil })
    return new.last
  }

  /// Adds objects that were made here, at one end, until an answer has them.
  package func place(_ pks: [Int64], first isFirst: Bool) throws {
    let known = try places(of: pks)
    let new = pks.filter { known[$0] == nil }
    guard !new.isEmpty else { return }
    func edge() throws -> [Int64]? {
      // The places of objects at the beginning are below zero, so that a whole new list comes behind them.
      let unknown = [Int64?](repeating: nil, count: new.count)
      guard isFirst else { return MemberPlaces.places(unknown, after: try last()) }
      return MemberPlaces.places(unknown, before: min(try first() ?? 0, 0))
    }
    if let places = try edge() { return try insert(new, places, isPlaced: true) }
    try renumber()
    try insert(new, try edge() ?? [], isPlaced: true)
  }

  /// Takes out the objects that were made here, that the server has by now, and that the list of the server does not have.
  package func removePlaced(of entity: String) throws {
    try remove(
      "is_placed = 1 AND pk NOT IN (SELECT _note.pk FROM \(EditNotes.table) AS _note "
        + "WHERE _note.entity = ?2 AND _note.property = '')", [.text(entity)])
  }

  /// Takes rows out of the list.
  package func remove(_ pks: [Int64]) throws {
    guard !pks.isEmpty else { return }
    try remove("pk IN (SELECT value FROM _entity_values(?2))", [Self.list(pks)])
  }

  // MARK: Places

  /// Gives rows places between two others.
  private func arrange(_ pks: [Int64], after lower: Int64?, before upper: Int64?) throws {
    guard !pks.isEmpty else { return }
    let known = try places(of: pks)
    guard let places = MemberPlaces.places(pks.map { known[$0] }, after: lower, before: upper) else {
      return try renumber(inserting: pks) { place in lower.map { place <= $0 } ?? upper.map { place < $0 } ?? true }
    }
    var moved: [(pk: Int64, place: Int64)] = []
    for (pk, place) in zip(pks, places) where known[pk] != place { moved.append((pk, place)) }
    let old = moved.map(\.pk).filter { known[$0] != nil }
    if !old.isEmpty { try remove(old) }
    try insert(moved.map(\.pk), moved.map(\.place), isPlaced: false)
    if moved.count < pks.count { try settle(pks) }
  }

  /// An answer has the rows.
  private func settle(_ pks: [Int64]) throws {
    try writer.write(
      "UPDATE \(Self.table) SET is_placed = 0 WHERE collection = ?1 AND is_placed = 1 "
        + "AND pk IN (SELECT value FROM _entity_values(?2))", [.integer(id), Self.list(pks)])
  }

  private func insert(_ pks: [Int64], _ places: [Int64], isPlaced: Bool) throws {
    guard !pks.isEmpty else { return }
    let statement = try writer.connection.prepare(
      "INSERT INTO \(Self.table) (collection, place, pk, is_placed) VALUES (?, ?, ?, ?)")
    for (pk, place) in zip(pks, places) {
      try statement.run([.integer(id), .integer(place), .integer(pk), .integer(isPlaced ? 1 : 0)])
    }
    writer.noteChange(key.text)
  }

  private func remove(_ condition: String, _ values: [StoredValue]) throws {
    let count = try writer.write(
      "DELETE FROM \(Self.table) WHERE collection = ?1 AND \(condition)", [.integer(id)] + values)
    if count > 0 { writer.noteChange(key.text) }
  }

  /// Gives all members new places, in their order.
  ///
  /// - Parameters:
  ///   - pks: Rows that get places among the others.
  ///   - isBefore: Whether a place comes before them.
  private func renumber(inserting pks: [Int64] = [], after isBefore: (Int64) -> Bool = { _ in true }) throws {
    let all = try writer.connection.rows(
      "SELECT pk, is_placed, place FROM \(Self.table) WHERE collection = ?1 "
        + "AND pk NOT IN (SELECT value FROM _entity_values(?2)) ORDER BY place", [.integer(id), Self.list(pks)]
    ) { (pk: $0.int64(0), isPlaced: $0.int64(1) != 0, place: $0.int64(2)) }
    try writer.write("DELETE FROM \(Self.table) WHERE collection = ?", [.integer(id)])
    let split = all.prefix { isBefore($0.place) }.count
    let members =
      all[..<split].map { ($0.pk, $0.isPlaced) } + pks.map { ($0, false) } + all[split...].map { ($0.pk, $0.isPlaced) }
    let begin = members.prefix { $0.1 }.count
    for (index, member) in members.enumerated() {
      // The objects that stand before the list have places below zero.
      let place = Int64(index - begin + (index < begin ? 0 : 1)) * MemberPlaces.step
      try insert([member.0], [place], isPlaced: member.1)
    }
  }

  /// The last place of an object that was made here and stands before a place at the beginning of the list.
  private func placed(before place: Int64?) throws -> Int64? {
    let end = try first("is_placed = 0")
    let limit = [end, place].compactMap(\.self).min() ?? .max
    return try last("is_placed = 1 AND place < ?2", [.integer(limit)])
  }

  private func places(of pks: [Int64], _ condition: String = "") throws -> [Int64: Int64] {
    let found = try writer.connection.rows(
      "SELECT pk, place FROM \(Self.table) WHERE collection = ? AND pk IN (SELECT value FROM _entity_values(?)) "
        + condition,
      [.integer(id), Self.list(pks)]
    ) { ($0.int64(0), $0.int64(1)) }
    return Dictionary(found, uniquingKeysWith: { first, _ in first })
  }

  /// The first place at which a condition holds. SQLite goes through the places in their order, and stops there.
  private func first(_ condition: String = "1", _ values: [StoredValue] = []) throws -> Int64? {
    try edge("ASC", condition, values)
  }

  private func last(_ condition: String = "1", _ values: [StoredValue] = []) throws -> Int64? {
    try edge("DESC", condition, values)
  }

  private func edge(_ order: String, _ condition: String, _ values: [StoredValue]) throws -> Int64? {
    try writer.connection.rows(
      "SELECT place FROM \(Self.table) WHERE collection = ?1 AND \(condition) ORDER BY place \(order) LIMIT 1",
      [.integer(id)] + values
    ) { $0.int64(0) }.first
  }

  private func count(_ condition: String, _ values: [StoredValue] = []) throws -> Int {
    try writer.connection.rows(
      "SELECT count(*) FROM \(Self.table) WHERE collection = ?1 AND \(condition)", [.integer(id)] + values
    ) { Int($0.int64(0)) }.first ?? 0
  }

  private static func list(_ pks: [Int64]) -> StoredValue { .list(pks.map { .integer($0) }) }
}
