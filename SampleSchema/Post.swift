public import EntityClient
import Observation

/// Something that a user wrote. Written by hand in the form that the `@Entity` macro writes.
public nonisolated final class Post: ManagedEntity {
  public struct Columns: Sendable {
    public let uid = Column<Post, Int>(0, "uid")
    public let title = Column<Post, String>(1, "title")
    public let body = Column<Post, String?>(2, "body")
    public let author = Column<Post, User?>(3, "author")
  }

  public static let columns: Columns = Columns()
  public static let properties: [PropertyDescriptor] = [
    .property(\Post.uid, columns.uid, key: "id", uid: true),
    .property(\Post.title, columns.title),
    .property(\Post.body, columns.body),
    .property(\Post.author, columns.author),
  ]

  public let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$title = Slot<String>()
  private var _$$body = Slot<String?>()
  private var _$$author = Slot<User?>()

  public init(_ state: ObjectState) { _$state = state }

  public var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  public var title: String {
    get { _get(\.title, Self.columns.title, _$$title) }
    set { _set(\.title, Self.columns.title, _$$title, newValue) { _$$title = $0 } }
  }

  public var body: String? {
    get { _get(\.body, Self.columns.body, _$$body) }
    set { _set(\.body, Self.columns.body, _$$body, newValue) { _$$body = $0 } }
  }

  public var author: User? {
    get { _get(\.author, Self.columns.author, _$$author) }
    set { _set(\.author, Self.columns.author, _$$author, newValue) { _$$author = $0 } }
  }

  public func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.title, &_$$title)
    _load(row, Self.columns.body, &_$$body)
    _load(row, Self.columns.author, &_$$author)
  }

  public func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.title, _$$title)
    _store(&row, Self.columns.body, _$$body)
    _store(&row, Self.columns.author, _$$author)
  }
}
