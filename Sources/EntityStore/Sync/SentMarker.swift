import Synchronization

extension SentEdits {
  /// Hears of what happens to an object, and to its row, while the request is under way.
  ///
  /// The request's values are told apart from later ones by the events alone: a value that comes back is a later edit. The first
  /// edit of a row that has the value that was sent is the sent edit itself, which was not saved when the request was made.
  package final class Marker: Sendable {
    private struct State {
      var isOver = false
      var isWithdrawn = false
      /// The edits that the answer does not show the server to have.
      var unshown = Unshown.none
      /// What the request carries.
      var values = RowValues(count: 0)
      var lists: [Int: Set<Int64>] = [:]
      var ordered = ColumnMask()
      /// The context of the object.
      var context: ContextID?
      /// The properties of which a save took edits since.
      var saved = ColumnMask()
      /// The properties that were set on the object since.
      var set = ColumnMask()
      /// Those of them that were saved after that.
      var setAndSaved = ColumnMask()
      /// The columns whose rows were edited since, in whatever context.
      var edited = ColumnMask()
      /// The members that were put into lists, or taken out of them, since.
      var pairs: [Int: Set<Int64>] = [:]
      /// The columns of which the server was told a later edit, by a request that the store does not know.
      var superseded = ColumnMask()
      /// The lists whose members or whose order others edited since.
      var orders = ColumnMask()
      /// The values that the server made of those that were sent, as the answer to another request that carried the same
      /// ones says.
      var forms: [Int: StoredValue] = [:]
      /// The lists of which such an answer has told.
      var told = ColumnMask()
    }

    private let state = Mutex(State())
    private let parent: Marker?

    /// - Parameter parent: The marker of the object that this marker's object lives in.
    package init(in parent: Marker? = nil) { self.parent = parent }

    var isOfEmbedded: Bool { parent != nil }
    /// Whether it is another one, or that of an object which was sent with the other one's.
    func isPart(of other: Marker) -> Bool { self === other || parent?.isPart(of: other) == true }

    var isOver: Bool { parent?.isOver == true || state.withLock(\.isOver) }
    package func end() { state.withLock { $0.isOver = true } }
    /// The object was deleted before it was ever saved: the answer makes no row of it.
    func withdraw() { state.withLock { $0.isWithdrawn = true } }
    package var isWithdrawn: Bool { state.withLock(\.isWithdrawn) }

    /// The answer does not show that the server has these edits: they stay.
    package func leave(_ unshown: Unshown) { state.withLock { $0.unshown = unshown } }
    var unshown: Unshown { state.withLock(\.unshown) }

    // MARK: What it carries

    /// - Parameters:
    ///   - ordered: The lists whose order it carries.
    ///   - context: That of the object.
    func carry(
      _ values: RowValues, _ lists: [Int: Set<Int64>], ordered: ColumnMask, from context: ContextID?
    ) {
      state.withLock { state in
        state.values = values
        state.lists = lists
        state.ordered = ordered
        state.context = context
      }
    }

    func carries(_ index: Int) -> Bool {
      state.withLock { $0.values.mask.union($0.ordered).contains(index) || $0.lists[index] != nil }
    }

    func carries(_ value: StoredValue, of index: Int) -> Bool {
      state.withLock { $0.values.mask.contains(index) && $0.values[index].isIdentical(to: value) }
    }

    func carries(_ members: Set<Int64>, of list: Int) -> Bool { state.withLock { $0.lists[list] == members } }

    // MARK: What it hears

    /// A save takes edits of properties.
    func saved(_ mask: ColumnMask) {
      state.withLock { state in
        state.saved.formUnion(mask)
        state.setAndSaved.formUnion(mask.intersection(state.set))
      }
    }
    var saved: ColumnMask { state.withLock(\.saved) }

    /// Properties were set on the object, each to another value than it had.
    func set(_ mask: ColumnMask) { state.withLock { $0.set.formUnion(mask) } }
    var set: ColumnMask { state.withLock(\.set) }

    /// The properties that were set, and saved without a change of the row: they have its value again, and the server may have
    /// got another one meanwhile.
    var setBack: ColumnMask { state.withLock { $0.setAndSaved.subtracting($0.edited) } }

    /// Columns of the row were edited.
    func edited(_ row: RowValues) {
      state.withLock { state in
        for index in row.mask.intersection(state.values.mask).subtracting(state.edited).indices
        where !state.values[index].isIdentical(to: row[index]) {
          state.edited.insert(index)
        }
      }
    }

    var edited: ColumnMask { state.withLock(\.edited) }

    /// A pair of a list was edited.
    func edited(_ list: Int, _ member: Int64, isIn: Bool) {
      state.withLock { state in
        guard let sent = state.lists[list], sent.contains(member) != isIn else { return }
        state.pairs[list, default: []].insert(member)
      }
    }

    /// Ordered lists of the row were edited, by a context or a unit of work. The object's own context tells with ``set(_:)``,
    /// too, of what it has edited since.
    func edited(lists: ColumnMask, from context: ContextID?) {
      state.withLock { state in
        if context == nil || context != state.context { state.orders.formUnion(lists) }
      }
    }

    /// Whether the order of a list was edited since, in the rows.
    func isReordered(_ list: Int) -> Bool {
      state.withLock { $0.orders.contains(list) || $0.setAndSaved.contains(list) }
    }

    /// The members of a list whose pairs were edited since.
    func editedMembers(of list: Int) -> Set<Int64> { state.withLock { $0.pairs[list] ?? [] } }

    /// The app says that the server has properties of the row as they are: edits of them that were made since were sent later,
    /// and so were those of properties that the request does not carry as edits.
    func acknowledged(_ mask: ColumnMask) {
      state.withLock { $0.superseded.formUnion(mask.subtracting($0.values.mask.subtracting($0.edited))) }
    }

    package var superseded: ColumnMask { state.withLock(\.superseded) }

    /// The server has made a value of one that was sent.
    func noteForm(_ value: StoredValue, of index: Int) { state.withLock { $0.forms[index] = value } }
    func form(of index: Int) -> StoredValue? { state.withLock { $0.forms[index] } }

    /// The server has said what it made of a list that was sent.
    func noteTold(_ list: Int) { state.withLock { $0.told.insert(list) } }
    func isTold(_ list: Int) -> Bool { state.withLock { $0.told.contains(list) } }
  }
}
