import EntityRequests
import EntityStore

/// An entity as `@Entity` would write it; the macro's plugin takes minutes to build in release.
nonisolated final class Word: RemoteEntity {
  struct Columns: Sendable {
    let uid = Column<Word, Int>(0, "uid")
    let text = Column<Word, String?>(1, "text")
    let next = Column<Word, Word?>(2, "next")
  }

  static let columns: Columns = Columns()
  static var properties: [PropertyDescriptor] {
    [
      .property(\Word.uid, columns.uid, key: "id", uid: true),
      .property(\Word.text, columns.text),
      .property(\Word.next, columns.next),
    ]
  }

  let _$state: ObjectState

  private var _$$uid = Slot<Int>()
  private var _$$text = Slot<String?>()
  private var _$$next = Slot<Word?>()

  init(_ state: ObjectState) { _$state = state }

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }

  var text: String? {
    get { _get(\.text, Self.columns.text, _$$text) }
    set { _set(\.text, Self.columns.text, _$$text, newValue) { _$$text = $0 } }
  }

  var next: Word? {
    get { _get(\.next, Self.columns.next, _$$next) }
    set { _set(\.next, Self.columns.next, _$$next, newValue) { _$$next = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid) { _$$uid = $0 }
    _load(row, Self.columns.text) { _$$text = $0 }
    _load(row, Self.columns.next) { _$$next = $0 }
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.text, _$$text)
    _store(&row, Self.columns.next, _$$next)
  }

  static var basePath: String { "words/" }
}
