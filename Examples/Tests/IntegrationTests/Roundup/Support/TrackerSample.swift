import EntityClient

@testable import Roundup

private typealias Issue = Roundup.Issue

/// The items that were created in the tracker, in plain values.
struct TrackerSample: Sendable {
  struct Item: Sendable {
    var uid = ""
    var title = ""
    var keywords: Set<String> = []
    var nosy: Set<String> = []
    var assignedTo: String?
    var priority: String?
    var supersededBy: [String] = []
  }

  var keywords: [String] = []
  var issues: [Item] = []

  /// Creates keywords and issues through the library, from objects of a store.
  @MainActor static func create(in store: EntityStore, run: String) async throws -> TrackerSample {
    try await Priority.sync()
    try await User.sync()
    let priorities = try store.main.fetch(Priority.all)
    let users = try store.main.fetch(User.where { $0.username != "anonymous" }.sorted(by: \.username))
    var sample = TrackerSample()
    var keywords: [Keyword] = []
    for number in 0..<12 {
      let keyword = try store.main.insert(Keyword.self)
      keyword.name = "\(run) keyword \(number) æøå"
      try await keyword.create(with: \.name)
      sample.keywords.append(keyword.name)
      keywords.append(keyword)
    }
    var last: Issue?
    for number in 0..<120 {
      let issue = try store.main.insert(Issue.self)
      issue.title = "\(run) \(number.isMultiple(of: 2) ? "& co" : "alone"): \"issue\" \(number) — 日本語 🐛\\ <b>"
      issue.keywords = keywords.indices.filter { number % ($0 + 2) == 0 }.map { keywords[$0] }
      issue.nosy = number.isMultiple(of: 3) ? users : []
      issue.assignedTo = number.isMultiple(of: 4) ? users[number % users.count] : nil
      issue.priority = number.isMultiple(of: 5) ? nil : priorities[number % priorities.count]
      issue.supersededBy = number.isMultiple(of: 7) ? [last].compactMap { $0 } : []
      try await issue.create(with: \.title, \.keywords, \.nosy, \.assignedTo, \.priority, \.supersededBy)
      last = issue
      var nosy = Set(issue.nosy.map(\.username))
      // The tracker itself adds them.
      if let assigned = issue.assignedTo { nosy.insert(assigned.username) }
      sample.issues.append(
        Item(
          uid: issue.uid, title: issue.title, keywords: Set(issue.keywords.map(\.name)), nosy: nosy,
          assignedTo: issue.assignedTo?.username, priority: issue.priority?.name,
          supersededBy: issue.supersededBy.map(\.uid)))
    }
    return sample
  }
}
