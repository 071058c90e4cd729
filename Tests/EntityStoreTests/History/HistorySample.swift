import EntityMacros
import EntityStore
import Foundation

// The code of the article "Following changes".

@Entity final class Bookmark {
  @UID var uid: Int
  var title: String
  var isRead: Bool
}

actor BookmarkIndex {
  private(set) var token: StoreHistory.Token?
  private(set) var titles: [String: String] = [:]
  private(set) var rebuilds = 0

  func replace(_ titles: [(Int, String)], _ token: StoreHistory.Token) {
    self.titles = [:]
    add(titles, removing: [])
    self.token = token
    rebuilds += 1
  }

  func add(_ titles: [(Int, String)], removing gone: [String]) {
    for uid in gone { self.titles[uid] = nil }
    for (uid, title) in titles { self.titles["\(uid)"] = title }
  }

  func setToken(_ token: StoreHistory.Token) { self.token = token }
}

func openStore(_ url: URL) throws -> EntityStore {
  var options = StoreOptions()
  options.history = .keeping(.seconds(30 * 24 * 3600))
  options.author = "widget"
  return try EntityStore(.file(url), entities: [Bookmark.self], options: options)
}

func rebuild(_ index: BookmarkIndex, from store: EntityStore) async throws {
  let (titles, token) = try await store.read { context in
    (try context.fetch(Bookmark.all.select { ($0.uid, $0.title) }), try context.historyToken())
  }
  await index.replace(titles, token)
}

func update(_ index: BookmarkIndex, from store: EntityStore) async throws {
  do {
    let commits = try await store.history.commits(after: index.token, by: .except(["widget"]))
    for commit in commits {
      let bookmarks = commit.changes(of: Bookmark.self)
      let changed = bookmarks.inserted + bookmarks.updated.filter { $0.columns.contains(\.title) }.map(\.id)
      let titles = try await store.read { try $0.objects(changed).map { ($0.uid, $0.title) } }
      await index.add(titles, removing: bookmarks.deleted.compactMap(\.uid))
    }
    await index.setToken(commits.token)
  } catch let error as StoreError where error.kind == .historyGone {
    try await rebuild(index, from: store)
  }
}

func follow(_ index: BookmarkIndex, in store: EntityStore) async throws {
  for try await commits in store.history.updates(after: await index.token) {
    for commit in commits where commit.entityNames.contains("Bookmark") { print(commit.author, commit.date) }
    await index.setToken(commits.token)
  }
}
