/// One page of a list, as `page` and `per_page` of a query name it.
struct Page: Equatable {
  /// Counted from 1.
  let number: Int
  let size: Int

  /// The page that a query asks for; nil when it asks for none, and so for all.
  ///
  /// - Throws: ``ServerError`` 400 when a parameter is no whole number from 1 up.
  init?(page: String?, perPage: String?, defaultSize: Int) throws(ServerError) {
    guard page != nil || perPage != nil else { return nil }
    number = try Self.positive(page, named: "page") ?? 1
    size = try Self.positive(perPage, named: "per_page") ?? defaultSize
  }

  /// The number of objects before this page.
  var offset: Int {
    let (offset, overflow) = (number - 1).multipliedReportingOverflow(by: size)
    return overflow ? Int.max - 1 : min(offset, Int.max - 1)
  }

  /// The value of `Link` (RFC 8288 §3): first and last always, prev and next where there are such pages.
  func link(base: String, total: Int) -> String {
    let last = max(1, total / size + (total % size == 0 ? 0 : 1))
    var relations = [("first", 1), ("last", last)]
    if number > 1 { relations.append(("prev", min(number - 1, last))) }
    if number < last { relations.append(("next", number + 1)) }
    return relations.map { #"<\#(base)?page=\#($0.1)&per_page=\#(size)>; rel="\#($0.0)""# }.joined(separator: ", ")
  }

  static func positive(_ text: String?, named name: String) throws(ServerError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), number > 0 else {
      throw .invalidParameter("\(name) must be a whole number from 1 up.")
    }
    return number
  }
}
