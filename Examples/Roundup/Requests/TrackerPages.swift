import EntityClient
import Foundation

/// The tracker says that there is a next page. The URL it gives is not escaped, so the number counts.
struct TrackerPages: Pagination {
  var size = 50

  var firstQuery: QueryParameters { ["@page_size": size, "@page_index": 1] }

  func isFirst(_ url: URL) -> Bool { number(of: url) == 1 }

  func next(after page: ReceivedPage) -> NextPage? {
    guard page.body?["data.@links.next"] != nil else { return nil }
    return .query(["@page_index": number(of: page.url) + 1])
  }

  private func number(of url: URL) -> Int {
    let query = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    return query.first { $0.name == "@page_index" }?.value.flatMap { Int($0) } ?? 1
  }
}
