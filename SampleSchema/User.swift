public import EntityClient
public import Foundation
import Observation

/// A user, with an address and posts. Written by hand in the form that the `@Entity` macro writes.
public nonisolated final class User: ManagedEntity {
  public struct Columns: Sendable {
    public let uid = Column<User, Int>(0, "uid")
    public let email = Column<User, String?>(1, "email")
    public let firstName = Column<User, String?>(2, "firstName")
    public let lastName = Column<User, String?>(3, "lastName")
    public let age = Column<User, Int>(4, "age")
    public let score = Column<User, Double?>(5, "score")
    public let active = Column<User, Bool>(6, "active")
    public let createdAt = Column<User, Date?>(7, "createdAt")
    public let bio = Column<User, String?>(8, "bio")
    public let address = Column<User, Address?>(9, "address")
    public let posts = Column<User, [Post]>(10, "posts")
  }

  public static let columns: Columns = Columns()
  public static let properties: [PropertyDescriptor] = [
    .property(\User.uid, columns.uid, key: "id", uid: true),
    .property(\User.email, columns.email),
    .property(\User.firstName, columns.firstName, key: "first"),
    .property(\User.lastName, columns.lastName, key: "last"),
    .property(\User.age, columns.age),
    .property(\User.score, columns.score),
    .property(\User.active, columns.active),
    .property(\User.createdAt, columns.createdAt),
    .property(\User.bio, columns.bio),
    .property(\User.address, columns.address),
    .property(\User.posts, columns.posts, inverse: Post.columns.author, onDelete: .cascade),
  ]

  public let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$email = Slot<String?>()
  private var _$$firstName = Slot<String?>()
  private var _$$lastName = Slot<String?>()
  private var _$$age = Slot<Int>()
  private var _$$score = Slot<Double?>()
  private var _$$active = Slot<Bool>()
  private var _$$createdAt = Slot<Date?>()
  private var _$$bio = Slot<String?>()
  private var _$$address = Slot<Address?>()
  private var _$$posts = Slot<[Post]>()

  public init(_ state: ObjectState) { _$state = state }

  public var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  public var email: String? {
    get { _get(\.email, Self.columns.email, _$$email) }
    set { _set(\.email, Self.columns.email, _$$email, newValue) { _$$email = $0 } }
  }

  public var firstName: String? {
    get { _get(\.firstName, Self.columns.firstName, _$$firstName) }
    set { _set(\.firstName, Self.columns.firstName, _$$firstName, newValue) { _$$firstName = $0 } }
  }

  public var lastName: String? {
    get { _get(\.lastName, Self.columns.lastName, _$$lastName) }
    set { _set(\.lastName, Self.columns.lastName, _$$lastName, newValue) { _$$lastName = $0 } }
  }

  public var age: Int {
    get { _get(\.age, Self.columns.age, _$$age) }
    set { _set(\.age, Self.columns.age, _$$age, newValue) { _$$age = $0 } }
  }

  public var score: Double? {
    get { _get(\.score, Self.columns.score, _$$score) }
    set { _set(\.score, Self.columns.score, _$$score, newValue) { _$$score = $0 } }
  }

  public var active: Bool {
    get { _get(\.active, Self.columns.active, _$$active) }
    set { _set(\.active, Self.columns.active, _$$active, newValue) { _$$active = $0 } }
  }

  public var createdAt: Date? {
    get { _get(\.createdAt, Self.columns.createdAt, _$$createdAt) }
    set { _set(\.createdAt, Self.columns.createdAt, _$$createdAt, newValue) { _$$createdAt = $0 } }
  }

  public var bio: String? {
    get { _get(\.bio, Self.columns.bio, _$$bio) }
    set { _set(\.bio, Self.columns.bio, _$$bio, newValue) { _$$bio = $0 } }
  }

  public var address: Address? {
    get { _get(\.address, Self.columns.address, _$$address) }
    set { _set(\.address, Self.columns.address, _$$address, newValue) { _$$address = $0 } }
  }

  /// What the user wrote; it is deleted with the user.
  public var posts: [Post] {
    get { _get(\.posts, Self.columns.posts, _$$posts) }
    set { _set(\.posts, Self.columns.posts, _$$posts, newValue) { _$$posts = $0 } }
  }

  public func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.email, &_$$email)
    _load(row, Self.columns.firstName, &_$$firstName)
    _load(row, Self.columns.lastName, &_$$lastName)
    _load(row, Self.columns.age, &_$$age)
    _load(row, Self.columns.score, &_$$score)
    _load(row, Self.columns.active, &_$$active)
    _load(row, Self.columns.createdAt, &_$$createdAt)
    _load(row, Self.columns.bio, &_$$bio)
    _load(row, Self.columns.address, &_$$address)
    _load(row, Self.columns.posts, &_$$posts)
  }

  public func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.email, _$$email)
    _store(&row, Self.columns.firstName, _$$firstName)
    _store(&row, Self.columns.lastName, _$$lastName)
    _store(&row, Self.columns.age, _$$age)
    _store(&row, Self.columns.score, _$$score)
    _store(&row, Self.columns.active, _$$active)
    _store(&row, Self.columns.createdAt, _$$createdAt)
    _store(&row, Self.columns.bio, _$$bio)
    _store(&row, Self.columns.address, _$$address)
    _store(&row, Self.columns.posts, _$$posts)
  }
}
