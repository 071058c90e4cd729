/// Which of its rows a query finds: so many, after the first ones.
struct RowLimit: Sendable {
  private let count: Int
  let offset: Int

  /// A negative number is 0.
  init(_ count: Int, after offset: Int) {
    self.count = max(0, count)
    self.offset = max(0, offset)
  }

  /// `LIMIT ? OFFSET ?`, after a space.
  var sql: SQLFragment { " LIMIT \(.integer(Int64(count))) OFFSET \(.integer(Int64(offset)))" }

  fileprivate func narrowed(to limit: RowLimit) -> RowLimit {
    // Both may be the largest Int: no sum overflows.
    let left = count - min(count, limit.offset)
    let (sum, isOver) = offset.addingReportingOverflow(limit.offset)
    return RowLimit(min(left, limit.count), after: isOver ? .max : sum)
  }
}

extension Optional where Wrapped == RowLimit {
  /// The rows of `limit` among those of this one.
  func narrowed(to limit: RowLimit) -> RowLimit { self?.narrowed(to: limit) ?? limit }

  /// As ``RowLimit/sql``; empty without a limit.
  var sql: SQLFragment { self?.sql ?? "" }
}
