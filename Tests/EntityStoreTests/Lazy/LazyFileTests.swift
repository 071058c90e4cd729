import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Versions of an app in which a property is plain, or lazy.
enum PlainVersion {
  @Entity final class Scroll {
    @UID @Key("id") var uid: Int
    var scan: Data?
    var title: String
  }
}

enum LazyVersion {
  @Entity final class Scroll {
    @UID @Key("id") var uid: Int
    @Lazy var scan: Data?
    var title: String
  }
}

/// As a macro would write it, by hand.
final class HandScroll: ManagedEntity {
  nonisolated struct Columns: Sendable {
    let scan = Column<HandScroll, LazyValue<Data?>>(0, "scan")
    let title = Column<HandScroll, String>(1, "title")
  }
  nonisolated static let columns = Columns()
  nonisolated static var properties: [PropertyDescriptor] {
    [.property(\HandScroll.scan, columns.scan), .property(\HandScroll.title, columns.title)]
  }
  nonisolated let _$state: ObjectState
  nonisolated init(_ state: ObjectState) { _$state = state }
  private nonisolated var scanSlot = Slot<Data?>()
  private nonisolated var titleSlot = Slot<String>()

  var scan: Data? {
    get { _get(\.scan, Self.columns.scan, scanSlot) }
    set { _set(\.scan, Self.columns.scan, scanSlot, newValue) { scanSlot = $0 } }
  }
  var title: String {
    get { _get(\.title, Self.columns.title, titleSlot) }
    set { _set(\.title, Self.columns.title, titleSlot, newValue) { titleSlot = $0 } }
  }

  nonisolated func _$load(_ row: RowReader) {
    _load(row, Self.columns.scan) { scanSlot = $0 }
    _load(row, Self.columns.title) { titleSlot = $0 }
  }
  nonisolated func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.scan, scanSlot)
    _store(&row, Self.columns.title, titleSlot)
  }
}

enum LazyMistakes {
  enum Shade: String, AttributeValue { case light, dark }

  @Entity final class RawLazy {
    @Lazy var shade: Shade = .light
  }
  @Entity final class IndexedLazy {
    @Lazy var text: String
    var number: Int
    static var indexes: [EntityIndex<IndexedLazy>] { [.index(\.text, \.number)] }
  }
  @Entity final class KeyedLazy {
    @Lazy var text: String
    static let uidKey: String? = "text"
  }
  @Entity final class SortingLazy {
    @Relationship(inverse: \LazyMistakes.SortedLazy.owner, sortedBy: \LazyMistakes.SortedLazy.text)
    var all: [SortedLazy]
  }
  @Entity final class SortedLazy {
    @Lazy var text: String
    var owner: SortingLazy?
  }

  static let all: [([any ManagedEntity.Type], String)] = [
    ([RawLazy.self], "an enum or an option set is too small"), ([IndexedLazy.self], "an index can't have it"),
    ([KeyedLazy.self], "uid"),
    ([SortingLazy.self, SortedLazy.self], "a relationship can't be sorted by it"),
  ]
}

/// The file of lazy properties, and all that writes rows without objects.
struct LazyFileTests {
  private func layout(_ folder: TemporaryFolder) throws -> [String] {
    let raw = try RawConnection(folder.file.path, vfs: nil)
    let sql = try raw.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    return try (sql + raw.rows("SELECT value FROM _entity_store WHERE key = 'schema'")).flatMap(\.self)
  }

  @Test func `a property that becomes lazy and plain again leaves the file as it is`() async throws {
    let folder = try TemporaryFolder()
    let data = Data(repeating: 3, count: 50_000)
    do {
      let store = try EntityStore(.file(folder.file), entities: [PlainVersion.Scroll.self])
      try await store.background { context in
        let scroll = try context.insert(PlainVersion.Scroll.self)
        (scroll.uid, scroll.scan, scroll.title) = (1, data, "one")
      }
    }
    let before = try layout(folder)
    #expect(before.count > 2)
    let plan = try EntityStore.migrationPlan(for: .file(folder.file), entities: [LazyVersion.Scroll.self])
    #expect(plan.changes.isEmpty)
    do {
      let store = try EntityStore(.file(folder.file), entities: [LazyVersion.Scroll.self])
      #expect(try await store.read { try $0.fetch(LazyVersion.Scroll.all).map(\.scan) } == [data])
      try await store.background { try $0.fetch(LazyVersion.Scroll.self, uid: 1)?.scan = Data([1]) }
    }
    #expect(try layout(folder) == before)
    let store = try EntityStore(.file(folder.file), entities: [PlainVersion.Scroll.self])
    #expect(try await store.read { try $0.fetch(PlainVersion.Scroll.all).map(\.scan) } == [Data([1])])
    #expect(try layout(folder) == before)
  }

  @Test func `a new table has the columns of lazy properties last`() async throws {
    let studio = try Studio(.file)
    let raw = try RawConnection(studio.folder.file.path, vfs: nil)
    #expect(
      try raw.rows("SELECT name FROM pragma_table_info('Portrait') ORDER BY cid").joined().suffix(4)
        == ["_position_atelier", "picture", "story", "layers"])
  }

  @Test(arguments: Place.usual)
  func `an entity written by hand has lazy properties`(_ place: Place) async throws {
    let test = try TestStore(place, [HandScroll.self])
    let id = try await test.store.background { context in
      let scroll = try context.insert(HandScroll.self)
      (scroll.scan, scroll.title) = (Data([1, 2]), "hand")
      return scroll.entityID
    }
    let (title, reads, scan, later) = try await test.store.read { context in
      let scroll = try #require(try context.object(id))
      let title = scroll.title
      let reads = context.statistics.lazyValues
      return (title, reads, scroll.scan, context.statistics.lazyValues)
    }
    #expect(title == "hand" && reads == 0)
    #expect(scan == Data([1, 2]) && later == 1)
  }

  @Test(arguments: LazyMistakes.all.indices)
  func `a lazy property that each row would read is refused`(_ number: Int) throws {
    let (entities, message) = LazyMistakes.all[number]
    let error = #expect(throws: StoreError.self) { try EntityStore(.inMemory, entities: entities) }
    #expect(error?.kind == .invalidSchema)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: Place.usual)
  func `an archive and the history have the lazy values`(_ place: Place) async throws {
    let studio = try Studio(place, .history(.keepingAll))
    let ids = try await studio.fill(2)
    let token = try await studio.store.history.token()
    try await studio.change(ids[1]) { $0.picture = Studio.picture(4) }
    let commits = try await studio.store.history.commits(after: token)
    let updates = commits.flatMap { $0.changes(of: Portrait.self).updated }
    #expect(updates.map { $0.columns.contains(\.picture) } == [true])
    #expect(updates.map { $0.columns.contains(\.story) } == [false])
    let other = try Studio(place)
    try await other.store.restore(from: try await studio.store.archive())
    let pictures = try await other.store.read { try $0.fetch(Portrait.all).map(\.picture) }
    #expect(pictures == [Studio.picture(1), Studio.picture(4)])
    #expect(try await other.store.pending.changes().map { $0.edits.map(\.property) } == [["picture"]])
  }

  @MainActor @Test(arguments: Place.usual)
  func `a row that turns out to be another gives its value to the survivor`(_ place: Place) async throws {
    let rows = try UIDRows(place, Studio.entities)
    let (uid, title) = (Portrait.columns.uid.index, Portrait.columns.title.index)
    let picture = Portrait.columns.picture.index
    _ = try await rows.respond(
      Portrait.self, [uid: .integer(5), title: .text("list"), picture: .blob(Studio.picture(5))])
    let posted = try await rows.store.background { context in
      let portrait = try context.insert(Portrait.self)
      portrait.story = "posted"
      return portrait.entityID
    }
    _ = try await rows.respond(Portrait.self, pk: posted.pk, [uid: .integer(5), title: .text("answer")])
    let found = try await rows.store.read { context in
      try context.fetch(Portrait.all).map { [$0.title, $0.story, "\($0.picture?.first ?? 0)"] }
    }
    #expect(found == [["answer", "posted", "5"]])
  }

  @Test(arguments: Place.usual)
  func `a pending change has the value and none from before`(_ place: Place) async throws {
    let studio = try Studio(place)
    let id = try await studio.fill()[0]
    try await studio.change(id) {
      $0.picture = Studio.picture(6)
      $0.price = 1
    }
    let change = try #require(try await studio.store.pending.changes().first)
    #expect(change.edits.map(\.property) == ["picture", "price"])
    #expect(change.edits.first?.value == .attribute(.blob(Studio.picture(6))))
    #expect(change.edits.first?.base == nil)
    try await studio.store.pending.discard(change)
    #expect(try await studio.store.pending.changes().isEmpty)
    #expect(try await studio.picture(of: id) == Studio.picture(6), "the value from before is not known")
    #expect(try await studio.store.read { try $0.object(id)?.price } == 0)
    try await studio.change(id) { $0.picture = Studio.picture(7) }
    try await studio.store.pending.acknowledge(id, \.picture)
    #expect(try await studio.store.pending.changes().isEmpty)
  }

  @MainActor @Test(arguments: Place.usual)
  func `a rule checks a value that was set and reads no other`(_ place: Place) async throws {
    let test = try TestStore(place, [Relief.self])
    let main = test.store.main
    let id = try await test.store.background(as: .server) { context in
      let relief = try context.insert(Relief.self)
      relief.text = ""
      return relief.entityID
    }
    let relief = try #require(try main.object(id))
    relief.number = 2
    try main.saveAtOnce()
    #expect(main.statistics.lazyValues == 0)
    relief.text = "long enough"
    try main.saveAtOnce()
    relief.text = "no"
    #expect(errorKind { try main.saveAtOnce() } == .invalidObject)
  }

  /// A query of a unit has sent the value to the unit's transaction before the rules are checked.
  @Test(arguments: Place.usual, [false, true])
  func `a rule checks a value that a query has sent`(_ place: Place, isNew: Bool) async throws {
    let test = try TestStore(place, [Relief.self])
    let id = try await test.store.background { try $0.insert(Relief.self).entityID }
    let kind = await asyncErrorKind {
      try await test.store.background { context in
        let relief = try isNew ? context.insert(Relief.self) : #require(try context.object(id))
        relief.text = "no"
        _ = try context.count(Relief.all)
        #expect(relief.validationProblems.count == 1)
        relief.number = 3
        _ = try context.count(Relief.all)
      }
    }
    #expect(kind == .invalidObject)
    #expect(try await test.store.read { try $0.fetch(Relief.all).map(\.text) } == ["a default"])
  }
}

@Entity final class Relief {
  @Lazy var text: String = "a default"
  var number: Int
}

extension Relief: ValidatedEntity {
  static var validationRules: [ValidationRule<Relief>] { [.length(\.text, 3...)] }
}
