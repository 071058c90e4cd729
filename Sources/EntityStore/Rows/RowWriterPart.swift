/// The rules of one thing, with the state that is theirs, which a row writer owns.
package class RowWriterPart {
  // A counted reference would make a circle. An uncounted one can't outlive the row writer: nothing but the row writer stores a
  // part, no part hands out its own reference, and whoever calls a part holds the row writer, as `Writer.transaction` does until it
  // closes it, and as a context does for as long as it lives. So it is there for the length of each call.
  unowned(unsafe) final let rows: RowWriter

  init(_ rows: RowWriter) { self.rows = rows }

  final var connection: Connection { rows.connection }
  final var schema: SchemaModel { rows.schema }
}
