import Adapters
import EntityClient
import Foundation
import Testing

@testable import Roundup

/// Testing has an `Issue` too.
private typealias Issue = Roundup.Issue

/// The example against a tracker that runs, each test with stores of its own; one after the other, for the tracker is
/// one.
@MainActor @Suite(.serialized, .enabled(if: TrackerService.url != nil, "scripts/integration starts the tracker"))
struct TrackerTests {
  @Test func `a created item comes back as it was`() async throws {
    try await TrackerService.enroll("ada")
    let run = UUID().uuidString.prefix(8)
    let made = try await TrackerService.signedIn { try await TrackerSample.create(in: $0, run: String(run)) }

    try await TrackerService.signedIn { store in
      try await Tracker.sync()
      let main = store.main
      for sample in made.issues {
        let issue = try #require(try main.fetch(Issue.self, uid: sample.uid))
        #expect(issue.title == sample.title)
        #expect(Set(issue.keywords.map(\.name)) == sample.keywords, "\(sample.title)")
        #expect(Set(issue.nosy.map(\.username)) == sample.nosy, "\(sample.title)")
        #expect(issue.assignedTo?.username == sample.assignedTo)
        #expect(issue.priority?.name == sample.priority)
        #expect(issue.status?.name == "unread")
        #expect(issue.supersededBy.map(\.uid) == sample.supersededBy)
        let supersedes = made.issues.filter { $0.supersededBy.contains(sample.uid) }
        #expect(issue.supersedes.map(\.uid) == supersedes.map(\.uid))
        let age = try #require(issue.creation).timeIntervalSinceNow
        #expect(age <= 1)
        #expect(age > -3_600)
      }
      for name in made.keywords {
        let keyword = try #require(try main.fetch(Keyword.where { $0.name == name }).first)
        let titles = made.issues.filter { $0.keywords.contains(name) }.map(\.title)
        #expect(Set(keyword.issues.map(\.title)) == Set(titles), "\(name)")
      }
      #expect(try main.fetch(Priority.all.sorted(by: \.order)).first?.name == "critical")

      // More than a page of titles with an '&', which the tracker leaves as it is in the URL of the next page.
      let found = try await Issue.search("\(run) & co")
      let uids = try main.objects(found).map(\.uid)
      #expect(uids == made.issues.filter { $0.title.contains("& co") }.map(\.uid))
      #expect(try await Tracker.sync() == 0)
    }
  }

  @Test func `a list is synced page by page`() async throws {
    try await TrackerService.signedIn { store in
      for number in 1...7 { try await Keyword.post { try $0.setJSON(["name": "page \(UUID()) \(number)"]) } }
      var ids: Set<EntityID<Keyword>> = []
      var sizes: [Int] = []
      let pages = Keyword.pages(
        query: ["@fields": "name", "@sort": "id"], by: TrackerPages(size: 3), options: .envelope("data.collection"))
      for try await page in pages {
        sizes.append(page.ids.count)
        ids.formUnion(page.ids)
      }
      #expect(sizes.dropLast().allSatisfy { $0 == 3 })
      #expect(sizes.count >= 3)
      let summary = try await Keyword.sync()
      #expect(Set(summary.ids) == ids)
      #expect(summary.counts.rowsWritten == 0)
    }
  }

  @Test func `a form is taken as JSON is`() async throws {
    try await TrackerService.signedIn { store in
      let keyword = try store.main.insert(Keyword.self)
      keyword.name = "a form's: ä & b = c + d; %41 \(UUID())"
      try await keyword.post { try $0.setForm(["name": keyword.name]) }
      #expect(!keyword.hasChanges)
      let issue = try await newIssue("form", in: store)
      try await issue.refresh()
      try await issue.patch {
        try $0.setHeaders(["If-Match": issue.etag ?? ""])
        try $0.setForm(["@op": "add", "keyword": keyword.uid])
      }
      #expect(issue.keywords.first === keyword)
      try await TrackerService.signedIn { other in
        try await Keyword.sync()
        #expect(try other.main.fetch(Keyword.self, uid: keyword.uid)?.name == keyword.name)
      }
    }
  }

  @Test func `an edit is sent with its version`() async throws {
    try await TrackerService.signedIn { store in
      let issue = try await newIssue("before", in: store)
      let keyword = try await newKeyword(in: store)
      try await issue.refresh()
      let version = try #require(issue.etag)
      issue.title = "after"
      issue.keywords = [keyword]
      try await issue.save(\.title, \.keywords)
      #expect(!issue.hasChanges)
      #expect(issue.etag == nil)
      try await issue.refresh()
      #expect(issue.title == "after")
      #expect(issue.keywords.first === keyword)
      #expect(issue.etag != version)
      #expect(keyword.issues.first === issue)
    }
  }

  @Test func `nil clears a value in the tracker`() async throws {
    try await TrackerService.signedIn { store in
      let issue = try await newIssue("assigned", in: store)
      try await User.sync()
      issue.assignedTo = try store.main.fetch(User.where { $0.username == "admin" }).first
      try await issue.save(\.assignedTo)
      try await issue.refresh()
      #expect(issue.assignedTo?.username == "admin")
      issue.assignedTo = nil
      try await issue.save(\.assignedTo)
      try await issue.refresh()
      #expect(issue.assignedTo == nil)
      #expect(!issue.hasChanges)
    }
  }

  @Test func `an edit of an old version is refused and kept`() async throws {
    try await TrackerService.signedIn { store in
      let issue = try await newIssue("first", in: store)
      try await issue.refresh()
      try await TrackerService.signedIn { other in
        try await Issue.get(issue.uid)
        let same = try #require(try other.main.fetch(Issue.self, uid: issue.uid))
        same.title = "of another"
        try await same.save(\.title)
      }
      issue.title = "mine"
      let error = await #expect(throws: RequestError.self) { try await issue.save(\.title) }
      #expect(error?.status == 412)
      #expect(issue.title == "mine")
      #expect(issue.hasChanges)
      // With the new version the edit goes through.
      try await issue.refresh()
      #expect(issue.title == "mine")
      try await issue.save(\.title)
      try await TrackerService.signedIn { other in
        let same = try await Issue.get(issue.uid).object
        #expect(same?.title == "mine")
      }
    }
  }

  @Test func `refusals have the status and the tracker's words`() async throws {
    try await TrackerService.enroll("ada")
    let uid = try await TrackerService.signedIn { try await newIssue("refused", in: $0).uid }
    await refused(401) { try await TrackerService.signedIn(as: "ada", "wrong") { _ in try await Issue.sync() } }
    await refused(403, "Permission to retire") {
      try await TrackerService.signedIn(as: "ada", "secret") { store in
        try await Issue.get(uid)
        try await store.main.fetch(Issue.self, uid: uid)?.retire()
      }
    }
    try await TrackerService.signedIn { store in
      await refused(404, "no such issue") { try await Issue.get("999999999") }
      await refused(405, "not allowed") { try await Issue.put { try $0.setJSON(["title": "all"]) } }
      await refused(400, "not valid") {
        try await Issue.get(query: ["titel": "x"], options: .envelope("data.collection"))
      }
      await refused(412) { try await Issue.patch(uid) { try $0.setJSON(["title": "without If-Match"]) } }
      let count = try store.main.count(Issue.all)
      #expect(count == 0)
    }
  }

  @Test func `a property that only administrators see stays`() async throws {
    try await TrackerService.enroll("ada")
    try await TrackerService.signedIn { store in
      try await User.sync()
      // A property that an administrator has seen stays when someone else's answer lacks it.
      let client = try Tracker.client(
        #require(TrackerService.url), user: "ada", password: "secret", adapter: CurlAdapter(), store: store)
      let again = try await Client.withClient(client) { try await User.sync() }
      #expect(again.counts.rowsWritten == 0)
      #expect(try store.main.fetch(User.where { $0.username == "admin" }).first?.address != nil)
    }
  }

  @Test func `a file is uploaded and downloaded`() async throws {
    var generator = SystemRandomNumberGenerator()
    let content = Data((0..<3_000_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    let file = FileManager.default.temporaryDirectory.appending(path: "roundup-\(UUID().uuidString).bin")
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await TrackerService.signedIn { store in
      let issue = try await newIssue("with a file", in: store)
      let attachment = try store.main.insert(Attachment.self)
      attachment.name = "Übersicht \"1\".bin"
      attachment.contentType = "application/x-test"
      try await attachment.upload(file)
      #expect(!attachment.hasChanges)
      #expect(!attachment.uid.isEmpty)
      try await issue.add([attachment.uid], to: "files")
      #expect(issue.files.map(\.uid) == [attachment.uid])
      #expect(try await attachment.content() == content)
      try await TrackerService.signedIn { other in
        try await Tracker.sync()
        let same = try #require(try other.main.fetch(Attachment.self, uid: attachment.uid))
        #expect(same.name == attachment.name)
        #expect(same.contentType == "application/x-test")
        #expect(same.issues.map(\.uid) == [issue.uid])
      }
    }
  }

  @Test func `a comment brings the tracker's own changes`() async throws {
    try await TrackerService.signedIn { store in
      try await Status.sync()
      try await User.sync()
      let author = try #require(try store.main.fetch(User.where { $0.username == "admin" }).first)
      let issue = try await newIssue("talk", in: store)
      try await issue.comment("Schön,\nwirklich.", by: author)
      #expect(issue.status?.name == "chatting")
      #expect(try await Message.sync().counts.updated == 1)  // the date
      #expect(issue.messages.map(\.content) == ["Schön,\nwirklich."])
      #expect(issue.messages.first?.author === author)
    }
  }

  @Test func `a retired item goes with the next sync`() async throws {
    try await TrackerService.signedIn { store in
      let issue = try await newIssue("kept", in: store)
      let retired = try await newIssue("retired", in: store)
      let keyword = try await newKeyword(in: store)
      issue.keywords = [keyword]
      try await issue.save(\.keywords)
      try await TrackerService.signedIn { other in
        try await Tracker.sync()
        let same = try #require(try other.main.fetch(Issue.self, uid: retired.uid))
        let keywordThere = try #require(try other.main.fetch(Keyword.self, uid: keyword.uid))
        try await retired.retire()
        try await keyword.retire()
        #expect(try await Tracker.sync() > 0)
        #expect(same.isDeleted)
        #expect(keywordThere.isDeleted)
        #expect(try other.main.fetch(Keyword.self, uid: keyword.uid) == nil)
        #expect(try await Tracker.sync() == 0)
      }
      #expect(retired.isDeleted)
      #expect(keyword.isDeleted)
    }
  }

  // MARK: Support

  private func newIssue(_ title: String, in store: EntityStore) async throws -> Issue {
    let issue = try store.main.insert(Issue.self)
    issue.title = title
    try await issue.create(with: \.title)
    return issue
  }

  private func newKeyword(in store: EntityStore) async throws -> Keyword {
    let keyword = try store.main.insert(Keyword.self)
    keyword.name = "keyword \(UUID())"
    try await keyword.create(with: \.name)
    return keyword
  }

  private func refused(_ status: Int, _ words: String = "", _ body: () async throws -> some Any) async {
    let error = await #expect(throws: RequestError.self) { _ = try await body() }
    #expect(error?.status == status)
    if !words.isEmpty { #expect(error?.body?["error.msg"]?.string?.contains(words) == true) }
  }
}
