import EntityStore
import Observation

// Entities with each kind of relationship.

nonisolated final class Writer: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Writer, Int>(0, "uid")
    let name = Column<Writer, String>(1, "name")
    let age = Column<Writer, Int>(2, "age")
    let nick = Column<Writer, String?>(3, "nick")
    let isActive = Column<Writer, Bool>(4, "isActive")
    let home = Column<Writer, Town?>(5, "home")
    let articles = Column<Writer, [Article]>(6, "articles")
    let reviews = Column<Writer, [Article]>(7, "reviews")
    let friends = Column<Writer, [Writer]>(8, "friends")
    let following = Column<Writer, [Writer]>(9, "following")
    let followers = Column<Writer, [Writer]>(10, "followers")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Writer.uid, columns.uid, key: "id", uid: true),
    .property(\Writer.name, columns.name),
    .property(\Writer.age, columns.age),
    .property(\Writer.nick, columns.nick),
    .property(\Writer.isActive, columns.isActive),
    .property(\Writer.home, columns.home),
    .property(\Writer.articles, columns.articles, inverse: Article.columns.author),
    .property(\Writer.reviews, columns.reviews, inverse: Article.columns.reviewer),
    .property(\Writer.friends, columns.friends),
    .property(\Writer.following, columns.following),
    .property(\Writer.followers, columns.followers, inverse: Writer.columns.following),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$name = Slot<String>()
  private var _$$age = Slot<Int>()
  private var _$$nick = Slot<String?>()
  private var _$$isActive = Slot<Bool>()
  private var _$$home = Slot<Town?>()
  private var _$$articles = Slot<[Article]>()
  private var _$$reviews = Slot<[Article]>()
  private var _$$friends = Slot<[Writer]>()
  private var _$$following = Slot<[Writer]>()
  private var _$$followers = Slot<[Writer]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var age: Int {
    get { _get(\.age, Self.columns.age, _$$age) }
    set { _set(\.age, Self.columns.age, _$$age, newValue) { _$$age = $0 } }
  }

  var nick: String? {
    get { _get(\.nick, Self.columns.nick, _$$nick) }
    set { _set(\.nick, Self.columns.nick, _$$nick, newValue) { _$$nick = $0 } }
  }

  var isActive: Bool {
    get { _get(\.isActive, Self.columns.isActive, _$$isActive) }
    set { _set(\.isActive, Self.columns.isActive, _$$isActive, newValue) { _$$isActive = $0 } }
  }

  var home: Town? {
    get { _get(\.home, Self.columns.home, _$$home) }
    set { _set(\.home, Self.columns.home, _$$home, newValue) { _$$home = $0 } }
  }

  var articles: [Article] {
    get { _get(\.articles, Self.columns.articles, _$$articles) }
    set { _set(\.articles, Self.columns.articles, _$$articles, newValue) { _$$articles = $0 } }
  }

  var reviews: [Article] {
    get { _get(\.reviews, Self.columns.reviews, _$$reviews) }
    set { _set(\.reviews, Self.columns.reviews, _$$reviews, newValue) { _$$reviews = $0 } }
  }

  var friends: [Writer] {
    get { _get(\.friends, Self.columns.friends, _$$friends) }
    set { _set(\.friends, Self.columns.friends, _$$friends, newValue) { _$$friends = $0 } }
  }

  var following: [Writer] {
    get { _get(\.following, Self.columns.following, _$$following) }
    set { _set(\.following, Self.columns.following, _$$following, newValue) { _$$following = $0 } }
  }

  var followers: [Writer] {
    get { _get(\.followers, Self.columns.followers, _$$followers) }
    set { _set(\.followers, Self.columns.followers, _$$followers, newValue) { _$$followers = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.age, &_$$age)
    _load(row, Self.columns.nick, &_$$nick)
    _load(row, Self.columns.isActive, &_$$isActive)
    _load(row, Self.columns.home, &_$$home)
    _load(row, Self.columns.articles, &_$$articles)
    _load(row, Self.columns.reviews, &_$$reviews)
    _load(row, Self.columns.friends, &_$$friends)
    _load(row, Self.columns.following, &_$$following)
    _load(row, Self.columns.followers, &_$$followers)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.age, _$$age)
    _store(&row, Self.columns.nick, _$$nick)
    _store(&row, Self.columns.isActive, _$$isActive)
    _store(&row, Self.columns.home, _$$home)
    _store(&row, Self.columns.articles, _$$articles)
    _store(&row, Self.columns.reviews, _$$reviews)
    _store(&row, Self.columns.friends, _$$friends)
    _store(&row, Self.columns.following, _$$following)
    _store(&row, Self.columns.followers, _$$followers)
  }
}

/// Always has an author.
nonisolated final class Article: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Article, Int>(0, "uid")
    let title = Column<Article, String>(1, "title")
    let length = Column<Article, Int>(2, "length")
    let rating = Column<Article, Double?>(3, "rating")
    let author = Column<Article, Writer>(4, "author")
    let reviewer = Column<Article, Writer?>(5, "reviewer")
    let tags = Column<Article, [Tag]>(6, "tags")
    let parent = Column<Article, Article?>(7, "parent")
    let children = Column<Article, [Article]>(8, "children")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Article.uid, columns.uid, key: "id", uid: true),
    .property(\Article.title, columns.title),
    .property(\Article.length, columns.length),
    .property(\Article.rating, columns.rating),
    .property(\Article.author, columns.author),
    .property(\Article.reviewer, columns.reviewer),
    .property(\Article.tags, columns.tags),
    .property(\Article.parent, columns.parent),
    .property(\Article.children, columns.children, inverse: Article.columns.parent),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$title = Slot<String>()
  private var _$$length = Slot<Int>()
  private var _$$rating = Slot<Double?>()
  private var _$$author = Slot<Writer>()
  private var _$$reviewer = Slot<Writer?>()
  private var _$$tags = Slot<[Tag]>()
  private var _$$parent = Slot<Article?>()
  private var _$$children = Slot<[Article]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var title: String {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }

  var length: Int {
    get { _get(\.length, Self.columns.length, _$$length) }
    set { _set(\.length, Self.columns.length, _$$length, newValue) { _$$length = $0 } }
  }

  var rating: Double? {
    get { _get(\.rating, Self.columns.rating, _$$rating) }
    set { _set(\.rating, Self.columns.rating, _$$rating, newValue) { _$$rating = $0 } }
  }

  var author: Writer {
    get { _get(\.author, Self.columns.author, _$$author) }
    set { _set(\.author, Self.columns.author, _$$author, newValue) { _$$author = $0 } }
  }

  var reviewer: Writer? {
    get { _get(\.reviewer, Self.columns.reviewer, _$$reviewer) }
    set { _set(\.reviewer, Self.columns.reviewer, _$$reviewer, newValue) { _$$reviewer = $0 } }
  }

  var tags: [Tag] {
    get { _get(\.tags, Self.columns.tags, _$$tags) }
    set { _set(\.tags, Self.columns.tags, _$$tags, newValue) { _$$tags = $0 } }
  }

  var parent: Article? {
    get { _get(\.parent, Self.columns.parent, _$$parent) }
    set { _set(\.parent, Self.columns.parent, _$$parent, newValue) { _$$parent = $0 } }
  }

  var children: [Article] {
    get { _get(\.children, Self.columns.children, _$$children) }
    set { _set(\.children, Self.columns.children, _$$children, newValue) { _$$children = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.length, &_$$length)
    _load(row, Self.columns.rating, &_$$rating)
    _load(row, Self.columns.author, &_$$author)
    _load(row, Self.columns.reviewer, &_$$reviewer)
    _load(row, Self.columns.tags, &_$$tags)
    _load(row, Self.columns.parent, &_$$parent)
    _load(row, Self.columns.children, &_$$children)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.length, _$$length)
    _store(&row, Self.columns.rating, _$$rating)
    _store(&row, Self.columns.author, _$$author)
    _store(&row, Self.columns.reviewer, _$$reviewer)
    _store(&row, Self.columns.tags, _$$tags)
    _store(&row, Self.columns.parent, _$$parent)
    _store(&row, Self.columns.children, _$$children)
  }
}

nonisolated final class Tag: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Tag, String>(0, "uid")
    let name = Column<Tag, String?>(1, "name")
    let articles = Column<Tag, [Article]>(2, "articles")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Tag.uid, columns.uid, key: "id", uid: true),
    .property(\Tag.name, columns.name),
    .property(\Tag.articles, columns.articles, inverse: Article.columns.tags),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<String>()
  private var _$$name = Slot<String?>()
  private var _$$articles = Slot<[Article]>()

  init(_ state: ObjectState) { _$state = state }

  var uid: String {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  var articles: [Article] {
    get { _get(\.articles, Self.columns.articles, _$$articles) }
    set { _set(\.articles, Self.columns.articles, _$$articles, newValue) { _$$articles = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.articles, &_$$articles)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.articles, _$$articles)
  }
}

nonisolated final class Town: ManagedEntity {
  struct Columns: Sendable {
    let uid = Column<Town, Int>(0, "uid")
    let city = Column<Town, String>(1, "city")
    let country = Column<Town, String?>(2, "country")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Town.uid, columns.uid, key: "id", uid: true),
    .property(\Town.city, columns.city),
    .property(\Town.country, columns.country),
  ]

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$city = Slot<String>()
  private var _$$country = Slot<String?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var city: String {
    get { _get(\.city, Self.columns.city, _$$city) }
    set { _set(\.city, Self.columns.city, _$$city, newValue) { _$$city = $0 } }
  }

  var country: String? {
    get { _get(\.country, Self.columns.country, _$$country) }
    set { _set(\.country, Self.columns.country, _$$country, newValue) { _$$country = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.city, &_$$city)
    _load(row, Self.columns.country, &_$$country)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.city, _$$city)
    _store(&row, Self.columns.country, _$$country)
  }
}

/// A version of an entity before it had a required link.
nonisolated final class LooseNote: ManagedEntity {
  static let entityName = "Memo"

  struct Columns: Sendable {
    let text = Column<LooseNote, String>(0, "text")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\LooseNote.text, columns.text)
  ]

  let _$state: ObjectState

  private var _$$text = Slot<String>()

  init(_ state: ObjectState) { _$state = state }

  var text: String {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.text, &_$$text)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.text, _$$text)
  }
}

nonisolated final class BoundNote: ManagedEntity {
  static let entityName = "Memo"

  struct Columns: Sendable {
    let text = Column<BoundNote, String>(0, "text")
    let writer = Column<BoundNote, Writer>(1, "writer")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\BoundNote.text, columns.text),
    .property(\BoundNote.writer, columns.writer),
  ]

  let _$state: ObjectState

  private var _$$text = Slot<String>()
  private var _$$writer = Slot<Writer>()

  init(_ state: ObjectState) { _$state = state }

  var text: String {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }

  var writer: Writer {
    get { _get(\.writer, Self.columns.writer, _$$writer) }
    set { _set(\.writer, Self.columns.writer, _$$writer, newValue) { _$$writer = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.text, &_$$text)
    _load(row, Self.columns.writer, &_$$writer)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.text, _$$text)
    _store(&row, Self.columns.writer, _$$writer)
  }
}
