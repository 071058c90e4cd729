import EntityStore
import Observation

// Delete rules over required links and many-to-many relationships, and entities without uid in them.

nonisolated final class Binder: ManagedEntity {
  struct Columns: Sendable {
    let title = Column<Binder, String>(0, "title")
    let pages = Column<Binder, [Page]>(1, "pages")
    let next = Column<Binder, Binder?>(2, "next")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Binder.title, columns.title),
    .property(\Binder.pages, columns.pages, inverse: Page.columns.binder, onDelete: .cascade),
    .property(\Binder.next, columns.next),
  ]

  let _$state: ObjectState

  private var _$$title = Slot<String>()
  private var _$$pages = Slot<[Page]>()
  private var _$$next = Slot<Binder?>()

  init(_ state: ObjectState) { _$state = state }

  var title: String {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }

  var pages: [Page] {
    get { _get(\.pages, Self.columns.pages, _$$pages) }
    set { _set(\.pages, Self.columns.pages, _$$pages, newValue) { _$$pages = $0 } }
  }

  var next: Binder? {
    get { _get(\.next, Self.columns.next, _$$next) }
    set { _set(\.next, Self.columns.next, _$$next, newValue) { _$$next = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.pages, &_$$pages)
    _load(row, Self.columns.next, &_$$next)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.pages, _$$pages)
    _store(&row, Self.columns.next, _$$next)
  }
}

/// Requires two objects; neither has a uid.
nonisolated final class Page: ManagedEntity {
  struct Columns: Sendable {
    let number = Column<Page, Int>(0, "number")
    let binder = Column<Page, Binder>(1, "binder")
    let frame = Column<Page, Frame>(2, "frame")
    let twin = Column<Page, Page?>(3, "twin")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Page.number, columns.number),
    .property(\Page.binder, columns.binder),
    .property(\Page.frame, columns.frame),
    .property(\Page.twin, columns.twin),
  ]

  let _$state: ObjectState

  private var _$$number = Slot<Int>()
  private var _$$binder = Slot<Binder>()
  private var _$$frame = Slot<Frame>()
  private var _$$twin = Slot<Page?>()

  init(_ state: ObjectState) { _$state = state }

  var number: Int {
    get { _get(\.number, Self.columns.number, _$$number) }
    set { _set(\.number, Self.columns.number, _$$number, newValue) { _$$number = $0 } }
  }

  var binder: Binder {
    get { _get(\.binder, Self.columns.binder, _$$binder) }
    set { _set(\.binder, Self.columns.binder, _$$binder, newValue) { _$$binder = $0 } }
  }

  var frame: Frame {
    get { _get(\.frame, Self.columns.frame, _$$frame) }
    set { _set(\.frame, Self.columns.frame, _$$frame, newValue) { _$$frame = $0 } }
  }

  var twin: Page? {
    get { _get(\.twin, Self.columns.twin, _$$twin) }
    set { _set(\.twin, Self.columns.twin, _$$twin, newValue) { _$$twin = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.number, &_$$number)
    _load(row, Self.columns.binder, &_$$binder)
    _load(row, Self.columns.frame, &_$$frame)
    _load(row, Self.columns.twin, &_$$twin)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.number, _$$number)
    _store(&row, Self.columns.binder, _$$binder)
    _store(&row, Self.columns.frame, _$$frame)
    _store(&row, Self.columns.twin, _$$twin)
  }
}

nonisolated final class Frame: ManagedEntity {
  struct Columns: Sendable {
    let color = Column<Frame, String?>(0, "color")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Frame.color, columns.color)
  ]

  let _$state: ObjectState

  private var _$$color = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var color: String? {
    get { _get(\.color, Self.columns.color, _$$color) }
    set { _set(\.color, Self.columns.color, _$$color, newValue) { _$$color = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.color, &_$$color)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.color, _$$color)
  }
}

nonisolated final class Album: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Album, Int>(0, "uid")
    let tracks = Column<Album, [Track]>(1, "tracks")
    let shelves = Column<Album, [Shelf]>(2, "shelves")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Album.uid, columns.uid, key: "id", uid: true),
    .property(\Album.tracks, columns.tracks, onDelete: .cascade),
    .property(\Album.shelves, columns.shelves, inverse: Shelf.columns.albums, onDelete: .deny),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$tracks = Slot<[Track]>()
  private var _$$shelves = Slot<[Shelf]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var tracks: [Track] {
    get { _get(\.tracks, Self.columns.tracks, _$$tracks) }
    set { _set(\.tracks, Self.columns.tracks, _$$tracks, newValue) { _$$tracks = $0 } }
  }

  var shelves: [Shelf] {
    get { _get(\.shelves, Self.columns.shelves, _$$shelves) }
    set { _set(\.shelves, Self.columns.shelves, _$$shelves, newValue) { _$$shelves = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.tracks, &_$$tracks)
    _load(row, Self.columns.shelves, &_$$shelves)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.tracks, _$$tracks)
    _store(&row, Self.columns.shelves, _$$shelves)
  }
}

nonisolated final class Track: ManagedEntity {
  struct Columns: Sendable {
    let title = Column<Track, String>(0, "title")
    let albums = Column<Track, [Album]>(1, "albums")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Track.title, columns.title),
    .property(\Track.albums, columns.albums, inverse: Album.columns.tracks),
  ]

  let _$state: ObjectState

  private var _$$title = Slot<String>()
  private var _$$albums = Slot<[Album]>()

  init(_ state: ObjectState) { _$state = state }

  var title: String {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }

  var albums: [Album] {
    get { _get(\.albums, Self.columns.albums, _$$albums) }
    set { _set(\.albums, Self.columns.albums, _$$albums, newValue) { _$$albums = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.albums, &_$$albums)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.albums, _$$albums)
  }
}

nonisolated final class Shelf: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Shelf, Int>(0, "uid")
    let albums = Column<Shelf, [Album]>(1, "albums")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Shelf.uid, columns.uid, key: "id", uid: true),
    .property(\Shelf.albums, columns.albums),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$albums = Slot<[Album]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var albums: [Album] {
    get { _get(\.albums, Self.columns.albums, _$$albums) }
    set { _set(\.albums, Self.columns.albums, _$$albums, newValue) { _$$albums = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.albums, &_$$albums)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.albums, _$$albums)
  }
}

nonisolated final class Loop: ManagedEntity {
  struct Columns: Sendable {
    let name = Column<Loop, String>(0, "name")
    let peers = Column<Loop, [Loop]>(1, "peers")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Loop.name, columns.name),
    .property(\Loop.peers, columns.peers),
  ]

  let _$state: ObjectState

  private var _$$name = Slot<String>()
  private var _$$peers = Slot<[Loop]>()

  init(_ state: ObjectState) { _$state = state }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var peers: [Loop] {
    get { _get(\.peers, Self.columns.peers, _$$peers) }
    set { _set(\.peers, Self.columns.peers, _$$peers, newValue) { _$$peers = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.peers, &_$$peers)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.peers, _$$peers)
  }
}

/// `Loop` without its many-to-many relationship.
nonisolated final class BareLoop: ManagedEntity {
  static let entityName = "Loop"

  struct Columns: Sendable {
    let name = Column<BareLoop, String>(0, "name")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\BareLoop.name, columns.name)
  ]

  let _$state: ObjectState

  private var _$$name = Slot<String>()

  init(_ state: ObjectState) { _$state = state }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.name, &_$$name)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.name, _$$name)
  }
}
