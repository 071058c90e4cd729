extension Compiler {
  /// The source of an entity for expressions with its columns: nothing runs it.
  ///
  /// - Parameter columns: The columns in their order: a name, and the type of the property.
  static func entity(_ name: String, _ columns: KeyValuePairs<String, String>) -> String {
    let lines = columns.enumerated().map { number, column in
      "    let \(column.key) = Column<\(name), \(column.value)>(\(number), \"\(column.key)\")\n"
    }
    return """
      final class \(name): ManagedEntity {
        struct Columns: Sendable {
      \(lines.joined())  }
        static let columns: Columns = Columns()
        static let properties: [PropertyDescriptor] = []
        let _$state: ObjectState
        init(_ state: ObjectState) { _$state = state }
        func _$load(_ row: RowReader) {}
        func _$store(into row: inout RowValues) {}
      }

      """
  }
}
