import EntityClient
import Foundation

/// The tracker says that there is a next page. The URL it gives is not escaped, so the number counts.
struct TrackerPages: Pagination {
  var size = 50

  var firstQuery: QueryParameters { ["@page_size": size, "@page_index": 1] }

  func next(after page: ReceivedPage) -> NextPage? {
    guard page.body?["data.@links.next"] != nil else { return nil }
    let query = URLComponents(url: page.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    let number = query.first { $0.name == "@page_index" }?.value.flatMap { Int($0) } ?? 1
    return .query(["@page_index": number + 1])
  }
}
