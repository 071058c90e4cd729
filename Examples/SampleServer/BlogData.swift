/// Posts with their comments and tags: functions of their ids, but for later changes and comments.
///
/// ```json
/// {"id":7,"title":"On river maps","body":"…","state":"published","published_at":"2019-03-01T12:00:00Z","author":4,"tags":[2,8]}
/// {"id":19,"text":"Well said.","post":7,"author_id":9,"author_first":"Ada","created_at":"2019-03-01T12:00:00Z"}
/// {"id":2,"name":"bridges","post_count":1667}
/// ```
///
/// Each user of the beginning wrote two posts, which stay when the user goes; `author` is null then. Post `p` has the
/// remainder of `p` by 3 as the number of its first comments.
struct BlogData: Sendable {
  let postCount: Int
  private let userCount: Int
  /// The texts of posts that were changed, and their tags.
  private var changed: [Int: (json: [UInt8], tags: [Int])] = [:]
  private var said: [Int: [Comment]] = [:]
  private var lastComment: Int

  struct Comment: Sendable {
    let id: Int
    let post: Int
    let author: Int?
    /// As JSON, with its quotation marks.
    let text: [UInt8]
  }

  init(userCount: Int) {
    self.userCount = max(0, userCount)
    postCount = 2 * self.userCount
    lastComment = 3 * postCount
  }

  func contains(_ post: Int) -> Bool { post >= 1 && post <= postCount }

  func author(of post: Int, _ users: UserData) -> Int? {
    let author = (post + 1) / 2
    return users.contains(author) ? author : nil
  }

  func tags(of post: Int) -> [Int] {
    changed[post]?.tags ?? [1 + post % Self.tagNames.count, 1 + (post / 2 * 5 + 3) % Self.tagNames.count].uniqued
  }

  /// The ids of one page of posts, of those with a tag if one is given.
  func posts(_ page: Page, tag: Int?) -> (ids: [Int], total: Int) {
    guard let tag else {
      let first = min(page.offset, postCount)
      return (Array((first + 1)..<(first + min(page.size, postCount - first) + 1)), postCount)
    }
    let tagged = (1...max(1, postCount)).filter { contains($0) && tags(of: $0).contains(tag) }
    return (Array(tagged.dropFirst(page.offset).prefix(page.size)), tagged.count)
  }

  func append(post id: Int, _ users: UserData, to json: inout JSONBytes) {
    if let text = changed[id]?.json { return json.append(text) }
    json.append(#"{"id":"#)
    json.append(id)
    json.append(#","title":"On "#)
    json.append(Self.subjects[id % Self.subjects.count])
    json.append(#"","body":"Some words about "#)
    json.append(Self.subjects[(id + 3) % Self.subjects.count])
    // Every fifth one is a draft.
    if id % 5 == 0 {
      json.append(#".","state":"draft","published_at":null,"author":"#)
    } else {
      json.append(#".","state":"published","published_at":""#)
      UserGenerator.appendDate(of: id, to: &json)
      json.append(#"","author":"#)
    }
    json.append(author(of: id, users))
    json.append(#","tags":["#)
    for (place, tag) in tags(of: id).enumerated() {
      if place > 0 { json.append(",") }
      json.append(tag)
    }
    json.append("]}")
  }

  /// Changes attributes of a post.
  mutating func update(_ id: Int, with attributes: [String: JSONValue], _ users: UserData) throws {
    var json = JSONBytes()
    append(post: id, users, to: &json)
    guard case .object(var members) = try JSONValue(json: json.bytes) else { return }
    for (key, value) in attributes where key != "id" { members[key] = value }
    if attributes["state"] == .string("published"), members["published_at"] == .null {
      var date = JSONBytes()
      UserGenerator.appendDate(of: id, to: &date)
      members["published_at"] = .string(String(decoding: date.bytes, as: UTF8.self))
    }
    var tags = tags(of: id)
    if case .array(let values) = members["tags"] {
      tags = values.compactMap { if case .int(let tag) = $0 { tag } else { nil } }
    }
    changed[id] = (try JSONValue.object(members).json(), tags)
  }

  // MARK: Comments

  func comments(of post: Int) -> [Comment] {
    let first = (0..<post % 3).map { place in
      let id = 3 * post - 2 + place
      return Comment(
        id: id, post: post, author: 1 + id * 7 % userCount, text: Self.sayings[id % Self.sayings.count].bytes)
    }
    return first + (said[post] ?? [])
  }

  func comments(by user: Int) -> [Comment] {
    guard postCount > 0 else { return [] }
    return (1...postCount).flatMap { comments(of: $0) }.filter { $0.author == user }
  }

  mutating func say(_ text: [UInt8], on post: Int, author: Int?) -> Comment {
    lastComment += 1
    let comment = Comment(id: lastComment, post: post, author: author, text: text)
    said[post, default: []].append(comment)
    return comment
  }

  func append(_ comment: Comment, _ users: UserData, to json: inout JSONBytes) {
    let author = comment.author.flatMap { users.contains($0) ? $0 : nil }
    json.append(#"{"id":"#)
    json.append(comment.id)
    json.append(#","text":"#)
    json.append(comment.text)
    json.append(#","post":"#)
    json.append(comment.post)
    json.append(#","author_id":"#)
    json.append(author)
    json.append(#","author_first":"#)
    json.append(author.flatMap { users.firstName($0) } ?? Array("null".utf8))
    json.append(#","created_at":""#)
    UserGenerator.appendDate(of: comment.id, to: &json)
    json.append(#""}"#)
  }

  // MARK: Tags

  /// The number of posts of each tag, by id from 1.
  var tagCounts: [Int: Int] {
    var counts = Dictionary(uniqueKeysWithValues: Self.tagNames.indices.map { ($0 + 1, 0) })
    guard postCount > 0 else { return counts }
    for post in 1...postCount {
      for tag in tags(of: post) { counts[tag]? += 1 }
    }
    return counts
  }

  func append(tag id: Int, count: Int?, to json: inout JSONBytes) {
    guard Self.tagNames.indices.contains(id - 1) else { return json.append("null") }
    json.append(#"{"id":"#)
    json.append(id)
    json.append(#","name":""#)
    json.append(Self.tagNames[id - 1])
    json.append("\"")
    if let count {
      json.append(#","post_count":"#)
      json.append(count)
    }
    json.append("}")
  }

  static func isTag(_ id: Int) -> Bool { tagNames.indices.contains(id - 1) }

  private static let tagNames: [StaticString] = [
    "archives", "bridges", "clocks", "engines", "gardens", "maps", "music", "numbers", "rivers", "ships", "tea",
    "trains",
  ]
  private static let subjects: [StaticString] = [
    "old bridges", "night trains", "river maps", "black tea", "tape recorders", "tide tables", "bees",
  ]
  private static let sayings: [StaticString] = [
    #""Well said.""#, #""I doubt it.""#, #""Where was that?""#, #""Zo\u00eb said the same.""#,
    #""More of this, please.""#,
  ]
}

extension StaticString {
  fileprivate var bytes: [UInt8] { withUTF8Buffer { Array($0) } }
}

extension [Int] {
  /// The elements without repetition, in their order.
  var uniqued: [Int] {
    var seen: Set<Int> = []
    return filter { seen.insert($0).inserted }
  }
}
