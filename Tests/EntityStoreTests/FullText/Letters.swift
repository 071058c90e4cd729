import EntityMacros
import EntityStore

/// Texts to be searched, in versions of one app.
@Entity final class Memo {
  @UID @Key("id") var uid: Int
  var title: String?
  var body: String
  var stars: Int
  var folder: MemoFolder?

  static var fullTextSearch: FullTextSearch<Memo>? { FullTextSearch(\.title, \.body) }

  static let all: [any ManagedEntity.Type] = [Memo.self, MemoFolder.self]
}

@Entity final class MemoFolder {
  @UID @Key("id") var uid: Int
  var name: String
  @Relationship(inverse: \Memo.folder, onDelete: .cascade) var memos: [Memo]
}

/// Other names, another set of searched texts, and a tokenizer.
enum LaterMemo {
  @Entity(removed: "folder") final class Memo {
    @UID @Key("id") var uid: Int
    @Renamed(from: "title") var heading: String?
    var body: String
    var stars: Int

    static var fullTextSearch: FullTextSearch<LaterMemo.Memo>? {
      FullTextSearch(\.heading, tokenizer: .unicodeWithAccents)
    }
  }
}

/// Without a search, and without the title.
enum PlainMemo {
  @Entity(removed: "title", "heading", "folder") final class Memo {
    @UID @Key("id") var uid: Int
    var body: String
    var stars: Int
  }
}
