import Synchronization

extension SentEdits {
  /// Hears of what happens to an object, and to its row, while the request is under way.
  ///
  /// Only these reports tell the request's values from later ones: a value that comes back is a later edit. The first
  /// edit of a row with the value that was sent is the sent edit itself, which was not saved when the request was made.
  package final class Marker: Sendable {
    private struct State {
      var isOver = false
      var isWithdrawn = false
      var isAsked = false
      /// The edits that the answer does not show the server to have.
      var unshown = Unshown.none
      /// The values, lists and orders that the request carries.
      var values = RowValues(count: 0)
      var lists: [Int: Set<Int64>] = [:]
      var ordered = ColumnMask()
      /// The context of the object.
      var context: ContextID?
      /// The properties whose edits a save has taken since.
      var saved = ColumnMask()
      /// The properties that were set on the object since.
      var set = ColumnMask()
      /// The properties that were set, and saved after that.
      var setAndSaved = ColumnMask()
      /// The columns that were edited in the row since, in whatever context.
      var edited = ColumnMask()
      /// The members that were added to lists, or taken out of them, since.
      var pairs: [Int: Set<Int64>] = [:]
      /// The columns with later edits that the server was told of by a request which the store does not know.
      var superseded = ColumnMask()
      /// The lists whose members or whose order others edited since.
      var orders = ColumnMask()
      /// The values that the server made of sent values, as the answer to another request with the same values says.
      var forms: [Int: StoredValue] = [:]
      /// The lists that such an answer has confirmed.
      var told = ColumnMask()
    }

    private let state = Mutex(State())
    private let parent: Marker?

    /// - Parameter parent: The marker of the object that this marker's object lives in.
    package init(in parent: Marker? = nil) { self.parent = parent }

    var isOfEmbedded: Bool { parent != nil }
    /// Whether this marker is another one, or belongs to an object that was sent within the other's object.
    func isPart(of other: Marker) -> Bool { self === other || parent?.isPart(of: other) == true }

    var isOver: Bool { parent?.isOver == true || state.withLock(\.isOver) }
    package func end() { state.withLock { $0.isOver = true } }
    /// The object was deleted before it was ever saved: the answer makes no row for it.
    func withdraw() { state.withLock { $0.isWithdrawn = true } }
    package var isWithdrawn: Bool { state.withLock(\.isWithdrawn) }

    /// The answer is to a question after a create whose own answer was lost: others may have changed the object meanwhile.
    package func ask() { state.withLock { $0.isAsked = true } }
    var isAsked: Bool { state.withLock(\.isAsked) }

    /// The answer does not show that the server has these edits: they stay.
    package func leave(_ unshown: Unshown) { state.withLock { $0.unshown = unshown } }
    var unshown: Unshown { state.withLock(\.unshown) }

    // MARK: What it carries

    /// - Parameters:
    ///   - ordered: The lists whose order it carries.
    ///   - context: The context of the object.
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

    /// Properties of the object were set, each to another value than before.
    func set(_ mask: ColumnMask) { state.withLock { $0.set.formUnion(mask) } }
    var set: ColumnMask { state.withLock(\.set) }

    /// The properties that were set, and saved without a change of the row. The row's value is that of before again,
    /// and the server may have got another value meanwhile.
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

    /// Columns were edited before the marker could hear of it: the request is of an earlier process.
    func noteEdited(_ mask: ColumnMask) { state.withLock { $0.edited.formUnion(mask) } }

    /// A pair of a list was edited.
    func edited(_ list: Int, _ member: Int64, isIn: Bool) {
      state.withLock { state in
        guard let sent = state.lists[list], sent.contains(member) != isIn else { return }
        state.pairs[list, default: []].insert(member)
      }
    }

    /// A context or a unit of work edited ordered lists of the row. The object's own context reports its later edits
    /// with ``set(_:)``.
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

    /// The app says that the server has properties of the row as they are. Later edits of these properties were then
    /// sent too, and so were properties that the request does not carry as edits.
    func acknowledged(_ mask: ColumnMask) {
      state.withLock { $0.superseded.formUnion(mask.subtracting($0.values.mask.subtracting($0.edited))) }
    }

    package var superseded: ColumnMask { state.withLock(\.superseded) }

    /// The server has made another value of a sent value.
    func noteForm(_ value: StoredValue, of index: Int) { state.withLock { $0.forms[index] = value } }
    func form(of index: Int) -> StoredValue? { state.withLock { $0.forms[index] } }

    /// The server has confirmed the members of a sent list.
    func noteTold(_ list: Int) { state.withLock { $0.told.insert(list) } }
    func isTold(_ list: Int) -> Bool { state.withLock { $0.told.contains(list) } }
  }
}
