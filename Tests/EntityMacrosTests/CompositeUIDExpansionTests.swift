import Testing

/// An entity with a uid of several properties.
@Suite struct CompositeUIDExpansionTests {
  @Test func `each part is a uid`() {
    expectExpansion(
      """
      @Entity final class Line {
        @UID var order: Int
        @UID var code: String?
      }
      """,
      #"""
      final class Line {
        var order: Int {
          get {
            (_get(\.order, Self.columns.order, _$$order))
          }
          set {
            _set(\.order, Self.columns.order, _$$order, newValue) {
              _$$order = $0
            }
          }
        }

        private nonisolated var _$$order = _EntitySlot<Int>()
        var code: String? {
          get {
            (_get(\.code, Self.columns.code, _$$code))
          }
          set {
            _set(\.code, Self.columns.code, _$$code, newValue) {
              _$$code = $0
            }
          }
        }

        private nonisolated var _$$code = _EntitySlot<String?>()

        nonisolated struct Columns: Sendable {
          let order = _EntityColumn<Line, Int>(0, "order")
          let code = _EntityColumn<Line, String?>(1, "code")
        }

        nonisolated static let columns: Columns = Columns()

        nonisolated static var properties: [_EntityDescriptor] {
          [
            .property(\Line.order, columns.order, uid: true),
            .property(\Line.code, columns.code, uid: true),
          ]
        }

        nonisolated let _$state: _EntityState

        nonisolated init(_ state: _EntityState) { _$state = state }

        nonisolated func _$load(_ row: _EntityRowReader) {
          _load(row, Self.columns.order) { _$$order = $0 }
          _load(row, Self.columns.code) { _$$code = $0 }
        }

        nonisolated func _$store(into row: inout _EntityRowValues) {
          _store(&row, Self.columns.order, _$$order)
          _store(&row, Self.columns.code, _$$code)
        }
      }

      nonisolated extension Line: ManagedEntity {}
      """#)
  }
}
