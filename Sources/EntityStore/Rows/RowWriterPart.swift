/// A part of the row writer: the rules of one subject, and their state. The row writer owns it.
package class RowWriterPart {
  // A counted reference would make a cycle. The uncounted one can't outlive the row writer: only the row writer stores
  // a part, and no part hands out its own reference. A caller of a part holds the row writer: `Writer.transaction`
  // holds it until it closes it, and a context holds it for as long as the context lives. So the row writer is there
  // for the length of each call.
  unowned(unsafe) final let rows: RowWriter

  init(_ rows: RowWriter) { self.rows = rows }

  final var connection: Connection { rows.connection }
  final var schema: SchemaModel { rows.schema }
}
