import TestSchema
import TestSupport

@testable import EntityStore

/// A query, and the properties that can decide on its result, by entity: written by hand, so that they are no copy of the
/// store's own knowledge.
struct LiveShape<E: LiveEntity>: Sendable {
  let text: String
  let query: EntityQuery<E>
  let names: LiveNames
}

typealias LiveNames = [String: Set<String>]

/// A read as text, and what it depends on. A star stands for all properties.
struct LiveRead: Sendable {
  let text: String
  let names: LiveNames
  let read: @Sendable (EntityContext) throws -> [String]
}

@MainActor enum LiveShapes {
  /// A query of a random shape, followed in each way.
  static func watch(in store: EntityStore, _ random: inout SeededRandom) -> any LiveWatch {
    switch random.below(5) {
    case 0, 1: QueryWatch(writers(&random), in: store)
    case 2, 3: QueryWatch(articles(&random), in: store)
    default:
      switch random.below(4) {
      case 0: QueryWatch(tags(&random), in: store)
      case 1: QueryWatch(remarks(&random), in: store)
      default: QueryWatch(mixes(&random), in: store)
      }
    }
  }

  static func writers(_ random: inout SeededRandom) -> LiveShape<Writer> {
    let (number, letter) = (random.below(5), random.letter())
    return switch random.below(10) {
    case 0: .init(text: "writers by name", query: Writer.all.sorted(by: \.name), names: ["Writer": ["name"]])
    case 1:
      .init(
        text: "writers above \(number), some",
        query: Writer.where { $0.age > number }.sorted(by: \.age, .descending).limited(to: 3, offset: 1),
        names: ["Writer": ["age"]])
    case 2:
      .init(
        text: "active writers of \(letter)", query: Writer.where { $0.isActive && $0.home.city == letter },
        names: ["Writer": ["isActive", "home"], "Town": ["city"]])
    case 3:
      .init(
        text: "writers with an article above \(number)",
        query: Writer.where { $0.articles.any { $0.length > number } },
        names: ["Writer": ["articles"], "Article": ["author", "length"]])
    case 4:
      .init(
        text: "writers of two by name", query: Writer.where { $0.articles.count > 1 }.sorted(by: \.name),
        names: ["Writer": ["name", "articles"], "Article": ["author"]])
    case 5:
      .init(
        text: "friends of \(letter)", query: Writer.where { $0.friends.any { $0.name == letter } },
        names: ["Writer": ["friends", "name"]])
    case 6:
      .init(
        text: "followed from above \(number)",
        query: Writer.where { $0.followers.any { $0.age > number } }.sorted(by: \.age),
        names: ["Writer": ["following", "followers", "age"]])
    case 7:
      .init(
        text: "writers without reviews by city",
        query: Writer.where { $0.reviews.isEmpty }.sorted { $0.home.city },
        names: ["Writer": ["reviews", "home"], "Article": ["reviewer"], "Town": ["city"]])
    case 8:
      .init(
        text: "writers of good articles", query: Writer.where { $0.articles.all { $0.rating > 1 } },
        names: ["Writer": ["articles"], "Article": ["author", "rating"]])
    default:
      .init(
        text: "homeless writers by age", query: Writer.where { $0.home == nil }.sorted(by: \.age).limited(to: 4),
        names: ["Writer": ["home", "age"], "Town": []])
    }
  }

  static func articles(_ random: inout SeededRandom) -> LiveShape<Article> {
    let (number, letter) = (random.below(5), random.letter())
    return switch random.below(8) {
    case 0:
      .init(
        text: "articles with the tag \(letter)",
        query: Article.where { $0.tags.any { $0.name == letter } }.sorted(by: \.title),
        names: ["Article": ["tags", "title"], "Tag": ["name", "articles"]])
    case 1:
      .init(
        text: "articles from \(letter)", query: Article.where { $0.author.home.city == letter },
        names: ["Article": ["author"], "Writer": ["home"], "Town": ["city"]])
    case 2:
      .init(
        text: "articles without review",
        query: Article.where { $0.reviewer == nil }.sorted(by: \.rating).limited(to: 4),
        names: ["Article": ["reviewer", "rating"], "Writer": []])
    case 3:
      .init(
        text: "answers to \(letter)", query: Article.where { $0.parent.author.name >= letter },
        names: ["Article": ["parent", "author"], "Writer": ["name"]])
    case 4:
      .init(
        text: "articles with an answer above \(number)",
        query: Article.where { $0.children.any { $0.length > number } },
        names: ["Article": ["parent", "children", "length"]])
    case 5:
      .init(
        text: "articles by author", query: Article.all.sorted { $0.author.name }.sorted(by: \.title, .descending),
        names: ["Article": ["author", "title"], "Writer": ["name"]])
    case 6:
      .init(
        text: "articles by count of tags", query: Article.all.sorted(.descending) { $0.tags.count },
        names: ["Article": ["tags"], "Tag": ["articles"]])
    default:
      .init(
        text: "articles of \(number)", query: Article.where { $0.length == number || $0.title == letter },
        names: ["Article": ["length", "title"]])
    }
  }

  static func tags(_ random: inout SeededRandom) -> LiveShape<Tag> {
    let number = random.below(5)
    return random.chance(2)
      ? .init(
        text: "tags of writers above \(number)",
        query: Tag.where { $0.articles.any { $0.author.age > number } },
        names: ["Tag": ["articles"], "Article": ["tags", "author"], "Writer": ["age"]])
      : .init(
        text: "named tags", query: Tag.where { $0.name != nil }.sorted(by: \.name, .descending),
        names: ["Tag": ["name"]])
  }

  static func mixes(_ random: inout SeededRandom) -> LiveShape<Mix> {
    let letter = random.letter()
    return switch random.below(3) {
    case 0:
      .init(
        text: "mixes with the tune \(letter)", query: Mix.where { $0.tunes.any { $0.title == letter } },
        names: ["Mix": ["tunes"], "Tune": ["title", "mixes"]])
    case 1:
      .init(
        text: "mixes by remarks", query: Mix.all.sorted(.descending) { $0.remarks.count },
        names: ["Mix": ["remarks"], "Remark": ["mix"]])
    default: .init(text: "mixes by title", query: Mix.all.sorted(by: \.title), names: ["Mix": ["title"]])
    }
  }

  static func remarks(_ random: inout SeededRandom) -> LiveShape<Remark> {
    let letter = random.letter()
    return .init(
      text: "remarks on \(letter)", query: Remark.where { $0.mix.title == letter }.sorted(by: \.text),
      names: ["Remark": ["mix", "text"], "Mix": ["title"]])
  }

  static func read(_ random: inout SeededRandom) -> LiveRead {
    let (number, letter) = (random.below(5), random.letter())
    return switch random.below(7) {
    case 0:
      .init(text: "count of writers above \(number)", names: ["Writer": ["age"]]) {
        ["\(try $0.count(Writer.where { $0.age > number }))"]
      }
    case 1:
      .init(
        text: "count of articles with the tag \(letter)",
        names: ["Article": ["tags"], "Tag": ["name", "articles"]]
      ) { ["\(try $0.count(Article.where { $0.tags.any { $0.name == letter } }))"] }
    case 2:
      .init(text: "lengths", names: ["Article": ["*"]]) { context in
        let lengths = try context.fetch(Article.all).map(\.length)
        return ["\(lengths.reduce(0, +)) \(lengths.max() ?? 0)"]
      }
    case 3:
      .init(text: "writers by age", names: ["Writer": ["*"]]) { context in
        let ages = Dictionary(grouping: try context.fetch(Writer.all.sorted(by: \.name)), by: \.age)
        return ages.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.map(\.name))" }
      }
    case 4:
      .init(text: "tunes in order", names: ["Mix": ["*"], "Tune": ["*"]]) { context in
        try context.fetch(Mix.all).map { "\($0.title ?? "-"): \($0.tunes.map(\.title))" }
      }
    case 5:
      .init(text: "bylines", names: ["Article": ["*"], "Writer": ["*"], "Town": ["*"]]) { context in
        try context.fetch(Article.all.sorted(by: \.title)).map {
          "\($0.title) by \($0.author.name) of \($0.author.home?.city ?? "-")"
        }
      }
    default:
      .init(text: "tags of articles", names: ["Article": ["*"], "Tag": ["*"]]) { context in
        try context.fetch(Article.all).map { "\($0.title): \($0.tags.map(\.entityID.pk).sorted())" }
      }
    }
  }
}
