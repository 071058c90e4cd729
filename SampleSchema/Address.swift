public import EntityClient
import Observation

/// Where a user lives. Written by hand: it shows the code that the `@Entity` macro writes, and a test compares the two.
public nonisolated final class Address: ManagedEntity {
  public struct Columns: Sendable {
    public let uid = Column<Address, Int>(0, "uid")
    public let street = Column<Address, String?>(1, "street")
    public let city = Column<Address, String?>(2, "city")
    public let state = Column<Address, String?>(3, "state")
    public let zip = Column<Address, String?>(4, "zip")
  }

  public static let columns: Columns = Columns()
  public static var properties: [PropertyDescriptor] {
    [
      .property(\Address.uid, columns.uid, key: "id", uid: true),
      .property(\Address.street, columns.street),
      .property(\Address.city, columns.city),
      .property(\Address.state, columns.state),
      .property(\Address.zip, columns.zip),
    ]
  }

  public let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$street = Slot<String?>()
  private var _$$city = Slot<String?>()
  private var _$$state = Slot<String?>()
  private var _$$zip = Slot<String?>()

  public init(_ state: ObjectState) { _$state = state }

  public var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  public var street: String? {
    get { _get(\.street, Self.columns.street, _$$street) }
    set { _set(\.street, Self.columns.street, _$$street, newValue) { _$$street = $0 } }
  }

  public var city: String? {
    get { _get(\.city, Self.columns.city, _$$city) }
    set { _set(\.city, Self.columns.city, _$$city, newValue) { _$$city = $0 } }
  }

  public var state: String? {
    get { _get(\.state, Self.columns.state, _$$state) }
    set { _set(\.state, Self.columns.state, _$$state, newValue) { _$$state = $0 } }
  }

  public var zip: String? {
    get { _get(\.zip, Self.columns.zip, _$$zip) }
    set { _set(\.zip, Self.columns.zip, _$$zip, newValue) { _$$zip = $0 } }
  }

  public func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid) { _$$uid = $0 }
    _load(row, Self.columns.street) { _$$street = $0 }
    _load(row, Self.columns.city) { _$$city = $0 }
    _load(row, Self.columns.state) { _$$state = $0 }
    _load(row, Self.columns.zip) { _$$zip = $0 }
  }

  public func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.street, _$$street)
    _store(&row, Self.columns.city, _$$city)
    _store(&row, Self.columns.state, _$$state)
    _store(&row, Self.columns.zip, _$$zip)
  }
}
