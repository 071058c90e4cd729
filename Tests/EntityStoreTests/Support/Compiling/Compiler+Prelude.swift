extension Compiler {
  /// Two entities that snippets speak of, written by hand.
  static let prelude = """
    import EntityStore
    import Foundation
    import Observation

    final class Thing: ManagedEntity {
      struct Columns: Sendable { let name = Column<Thing, String>(0, "name") }
      static let columns: Columns = Columns()
      static let properties: [PropertyDescriptor] = [.property(\\Thing.name, columns.name)]
      let _$state: ObjectState
      private var _$$name = Slot<String>()
      init(_ state: ObjectState) { _$state = state }
      var name: String {
        get { _get(\\.name, Self.columns.name, _$$name) }
        set { _set(\\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
      }
      func _$load(_ row: RowReader) { _load(row, Self.columns.name) { _$$name = $0 } }
      func _$store(into row: inout RowValues) { _store(&row, Self.columns.name, _$$name) }
    }

    enum Color: String, AttributeValue { case red, blue }

    final class Part: ManagedEntity {
      struct Columns: Sendable {
        let name = Column<Part, String>(0, "name")
        let age = Column<Part, Int>(1, "age")
        let nick = Column<Part, String?>(2, "nick")
        let score = Column<Part, Double?>(3, "score")
        let flag = Column<Part, Bool>(4, "flag")
        let data = Column<Part, Data>(5, "data")
        let color = Column<Part, Color>(6, "color")
        let shade = Column<Part, Color?>(7, "shade")
        let maker = Column<Part, Part?>(8, "maker")
        let parts = Column<Part, [Part]>(9, "parts")
        let tags = Column<Part, [String]>(10, "tags")
      }

      static let columns: Columns = Columns()
      static let properties: [PropertyDescriptor] = [
        .property(\\Part.name, columns.name),
        .property(\\Part.age, columns.age),
        .property(\\Part.nick, columns.nick),
        .property(\\Part.score, columns.score),
        .property(\\Part.flag, columns.flag),
        .property(\\Part.data, columns.data),
        .property(\\Part.color, columns.color, default: .red),
        .property(\\Part.shade, columns.shade),
        .property(\\Part.maker, columns.maker),
        .property(\\Part.parts, columns.parts),
        .property(\\Part.tags, columns.tags),
      ]

      let _$state: ObjectState

      private var _$$name = Slot<String>()
      private var _$$age = Slot<Int>()
      private var _$$nick = Slot<String?>()
      private var _$$score = Slot<Double?>()
      private var _$$flag = Slot<Bool>()
      private var _$$data = Slot<Data>()
      private var _$$color = Slot<Color>()
      private var _$$shade = Slot<Color?>()
      private var _$$maker = Slot<Part?>()
      private var _$$parts = Slot<[Part]>()
      private var _$$tags = Slot<[String]>()

      init(_ state: ObjectState) { _$state = state }

      var name: String {
        get { _get(\\.name, Self.columns.name, _$$name) }
        set { _set(\\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
      }

      var age: Int {
        get { _get(\\.age, Self.columns.age, _$$age) }
        set { _set(\\.age, Self.columns.age, _$$age, newValue) { _$$age = $0 } }
      }

      var nick: String? {
        get { _get(\\.nick, Self.columns.nick, _$$nick) }
        set { _set(\\.nick, Self.columns.nick, _$$nick, newValue) { _$$nick = $0 } }
      }

      var score: Double? {
        get { _get(\\.score, Self.columns.score, _$$score) }
        set { _set(\\.score, Self.columns.score, _$$score, newValue) { _$$score = $0 } }
      }

      var flag: Bool {
        get { _get(\\.flag, Self.columns.flag, _$$flag) }
        set { _set(\\.flag, Self.columns.flag, _$$flag, newValue) { _$$flag = $0 } }
      }

      var data: Data {
        get { _get(\\.data, Self.columns.data, _$$data) }
        set { _set(\\.data, Self.columns.data, _$$data, newValue) { _$$data = $0 } }
      }

      var color: Color {
        get { _get(\\.color, Self.columns.color, _$$color) }
        set { _set(\\.color, Self.columns.color, _$$color, newValue) { _$$color = $0 } }
      }

      var shade: Color? {
        get { _get(\\.shade, Self.columns.shade, _$$shade) }
        set { _set(\\.shade, Self.columns.shade, _$$shade, newValue) { _$$shade = $0 } }
      }

      var maker: Part? {
        get { _get(\\.maker, Self.columns.maker, _$$maker) }
        set { _set(\\.maker, Self.columns.maker, _$$maker, newValue) { _$$maker = $0 } }
      }

      var parts: [Part] {
        get { _get(\\.parts, Self.columns.parts, _$$parts) }
        set { _set(\\.parts, Self.columns.parts, _$$parts, newValue) { _$$parts = $0 } }
      }

      var tags: [String] {
        get { _get(\\.tags, Self.columns.tags, _$$tags) }
        set { _set(\\.tags, Self.columns.tags, _$$tags, newValue) { _$$tags = $0 } }
      }

      func _$load(_ row: RowReader) {
        _load(row, Self.columns.name) { _$$name = $0 }
        _load(row, Self.columns.age) { _$$age = $0 }
        _load(row, Self.columns.nick) { _$$nick = $0 }
        _load(row, Self.columns.score) { _$$score = $0 }
        _load(row, Self.columns.flag) { _$$flag = $0 }
        _load(row, Self.columns.data) { _$$data = $0 }
        _load(row, Self.columns.color) { _$$color = $0 }
        _load(row, Self.columns.shade) { _$$shade = $0 }
        _load(row, Self.columns.maker) { _$$maker = $0 }
        _load(row, Self.columns.parts) { _$$parts = $0 }
        _load(row, Self.columns.tags) { _$$tags = $0 }
      }

      func _$store(into row: inout RowValues) {
        _store(&row, Self.columns.name, _$$name)
        _store(&row, Self.columns.age, _$$age)
        _store(&row, Self.columns.nick, _$$nick)
        _store(&row, Self.columns.score, _$$score)
        _store(&row, Self.columns.flag, _$$flag)
        _store(&row, Self.columns.data, _$$data)
        _store(&row, Self.columns.color, _$$color)
        _store(&row, Self.columns.shade, _$$shade)
        _store(&row, Self.columns.maker, _$$maker)
        _store(&row, Self.columns.parts, _$$parts)
        _store(&row, Self.columns.tags, _$$tags)
      }
    }

    """
}
