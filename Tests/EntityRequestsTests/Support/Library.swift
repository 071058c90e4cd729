import EntityClient
import Foundation
import Observation

// A small schema for the tests of the mapping, written by hand as the macro will write it.

/// Mapped by its declared properties.
final class Book: ManagedEntity, RemoteEntity {
  static var basePath: String { "books" }

  struct Columns: Sendable {
    let uid = Column<Book, Int>(0, "uid")
    let title = Column<Book, String?>(1, "title")
    let pages = Column<Book, Int>(2, "pages")
    let publishedAt = Column<Book, Date?>(3, "publishedAt")
    let city = Column<Book, String?>(4, "city")
    let author = Column<Book, Author?>(5, "author")
    let cover = Column<Book, Cover?>(6, "cover")
    let chapters = Column<Book, [Chapter]>(7, "chapters")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Book.uid, columns.uid, key: "id", uid: true),
      .property(\Book.title, columns.title),
      .property(\Book.pages, columns.pages),
      .property(\Book.publishedAt, columns.publishedAt),
      .property(\Book.city, columns.city, key: "publisher.city"),
      .property(\Book.author, columns.author),
      .property(\Book.cover, columns.cover),
      .property(\Book.chapters, columns.chapters, inverse: Chapter.columns.book, onDelete: .cascade),
    ]
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$uid = Slot<Int>()
  var _$$title = Slot<String?>()
  var _$$pages = Slot<Int>()
  var _$$publishedAt = Slot<Date?>()
  var _$$city = Slot<String?>()
  var _$$author = Slot<Author?>()
  var _$$cover = Slot<Cover?>()
  var _$$chapters = Slot<[Chapter]>()

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }
  var title: String? {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }
  var pages: Int {
    get { _get(\.pages, Self.columns.pages, _$$pages) }
    set { _set(\.pages, Self.columns.pages, _$$pages, newValue) { _$$pages = $0 } }
  }
  var publishedAt: Date? {
    get { _get(\.publishedAt, Self.columns.publishedAt, _$$publishedAt) }
    set { _set(\.publishedAt, Self.columns.publishedAt, _$$publishedAt, newValue) { _$$publishedAt = $0 } }
  }
  var city: String? {
    get { _get(\.city, Self.columns.city, _$$city) }
    set { _set(\.city, Self.columns.city, _$$city, newValue) { _$$city = $0 } }
  }
  var author: Author? {
    get { _get(\.author, Self.columns.author, _$$author) }
    set { _set(\.author, Self.columns.author, _$$author, newValue) { _$$author = $0 } }
  }
  var cover: Cover? {
    get { _get(\.cover, Self.columns.cover, _$$cover) }
    set { _set(\.cover, Self.columns.cover, _$$cover, newValue) { _$$cover = $0 } }
  }
  var chapters: [Chapter] {
    get { _get(\.chapters, Self.columns.chapters, _$$chapters) }
    set { _set(\.chapters, Self.columns.chapters, _$$chapters, newValue) { _$$chapters = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.pages, &_$$pages)
    _load(row, Self.columns.publishedAt, &_$$publishedAt)
    _load(row, Self.columns.city, &_$$city)
    _load(row, Self.columns.author, &_$$author)
    _load(row, Self.columns.cover, &_$$cover)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.pages, _$$pages)
    _store(&row, Self.columns.publishedAt, _$$publishedAt)
    _store(&row, Self.columns.city, _$$city)
    _store(&row, Self.columns.author, _$$author)
    _store(&row, Self.columns.cover, _$$cover)
  }
}

/// Updated by hand, and refers to another author.
final class Author: ManagedEntity, RemoteEntity {
  static var basePath: String { "authors/" }

  struct Columns: Sendable {
    let uid = Column<Author, String>(0, "uid")
    let name = Column<Author, String?>(1, "name")
    let mentor = Column<Author, Author?>(2, "mentor")
    let cover = Column<Author, Cover?>(3, "cover")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Author.uid, columns.uid, key: "uid", uid: true),
      .property(\Author.name, columns.name),
      .property(\Author.mentor, columns.mentor),
      .property(\Author.cover, columns.cover),
    ]
  }

  func update(with response: ResponseObject) throws {
    if let name = try response.value("name", as: String.self) { self.name = "by hand: \(name)" }
    try response.assign("mentor", to: &mentor)
    if response.contains("portrait") { cover = try response.upsert(Cover.self, from: "portrait") }
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$uid = Slot<String>()
  var _$$name = Slot<String?>()
  var _$$mentor = Slot<Author?>()
  var _$$cover = Slot<Cover?>()

  var uid: String {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }
  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }
  var mentor: Author? {
    get { _get(\.mentor, Self.columns.mentor, _$$mentor) }
    set { _set(\.mentor, Self.columns.mentor, _$$mentor, newValue) { _$$mentor = $0 } }
  }
  var cover: Cover? {
    get { _get(\.cover, Self.columns.cover, _$$cover) }
    set { _set(\.cover, Self.columns.cover, _$$cover, newValue) { _$$cover = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.mentor, &_$$mentor)
    _load(row, Self.columns.cover, &_$$cover)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.mentor, _$$mentor)
    _store(&row, Self.columns.cover, _$$cover)
  }
}

/// Has no uid: it lives in its parent.
final class Cover: ManagedEntity {
  struct Columns: Sendable {
    let color = Column<Cover, String?>(0, "color")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] { [.property(\Cover.color, columns.color)] }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$color = Slot<String?>()

  var color: String? {
    get { _get(\.color, Self.columns.color, _$$color) }
    set { _set(\.color, Self.columns.color, _$$color, newValue) { _$$color = $0 } }
  }

  func _$load(_ row: RowReader) { _load(row, Self.columns.color, &_$$color) }

  func _$store(into row: inout RowValues) { _store(&row, Self.columns.color, _$$color) }
}

final class Chapter: ManagedEntity, RemoteEntity {
  static var basePath: String { "chapters" }

  struct Columns: Sendable {
    let uid = Column<Chapter, Int>(0, "uid")
    let title = Column<Chapter, String?>(1, "title")
    let book = Column<Chapter, Book?>(2, "book")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Chapter.uid, columns.uid, key: "id", uid: true),
      .property(\Chapter.title, columns.title),
      .property(\Chapter.book, columns.book),
    ]
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$uid = Slot<Int>()
  var _$$title = Slot<String?>()
  var _$$book = Slot<Book?>()

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }
  var title: String? {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }
  var book: Book? {
    get { _get(\.book, Self.columns.book, _$$book) }
    set { _set(\.book, Self.columns.book, _$$book, newValue) { _$$book = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.book, &_$$book)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.book, _$$book)
  }
}

/// A store of the library, in memory.
func library() throws -> EntityStore {
  try EntityStore(
    .inMemory, entities: [Book.self, Author.self, Cover.self, Chapter.self], busyTimeout: .seconds(60))
}

extension EntityStore {
  /// Upserts as a response does.
  func take<E: RemoteEntity>(
    _ type: E.Type, _ value: ResponseValue, _ change: (inout ResponseUpsert<E>) -> Void = { _ in }
  ) async throws -> ResponseOutcome<E> {
    let number = core.requests.begin()
    defer { core.requests.end(number) }
    var request = ResponseUpsert<E>(value, sequence: number)
    change(&request)
    return try await upsert(request)
  }
}
