/// The rows of a query to find: a number of rows, after a number of skipped rows.
struct RowLimit: Sendable {
  private let count: Int
  let offset: Int

  /// A negative number counts as 0.
  init(_ count: Int, after offset: Int) {
    self.count = max(0, count)
    self.offset = max(0, offset)
  }

  /// `LIMIT ? OFFSET ?`, after a space.
  var sql: SQLFragment { " LIMIT \(.integer(Int64(count))) OFFSET \(.integer(Int64(offset)))" }

  fileprivate func narrowed(to limit: RowLimit) -> RowLimit {
    // Both may be the largest Int, so the code adds nothing that could overflow.
    let left = count - min(count, limit.offset)
    let (sum, isOver) = offset.addingReportingOverflow(limit.offset)
    return RowLimit(min(left, limit.count), after: isOver ? .max : sum)
  }
}

extension Optional where Wrapped == RowLimit {
  /// The rows of `limit` among the rows of this limit.
  func narrowed(to limit: RowLimit) -> RowLimit { self?.narrowed(to: limit) ?? limit }

  /// The same as ``RowLimit/sql``; empty without a limit.
  var sql: SQLFragment { self?.sql ?? "" }
}
