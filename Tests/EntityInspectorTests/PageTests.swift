import EntityJSON
import EntityStore
import Foundation
import TestSchema
import Testing

/// The pages of a file, by their twins in JSON.
struct PageTests {
  @Test func `rows have their values, links, edits with the server's value, and marks`() async throws {
    let test = try await InspectedStore()
    let page = try test.browser.json("e/Article.json")
    let names = try #require(page["columns"]?.array).compactMap { $0["name"]?.string }
    #expect(names.prefix(3) == ["uid", "title", "length"])
    let rows = try #require(page["rows"]?.array)
    #expect(rows.count == 2)
    let title = try #require(names.firstIndex(of: "title"))
    let author = try #require(names.firstIndex(of: "author"))
    #expect(rows[1]?["cells[\(title)].text"]?.string == "Changed here")
    #expect(rows[1]?["cells[\(title)].edit.base"]?.string == "Title 11")
    #expect(rows[0]?["cells[\(title)].edit"] == nil)
    #expect(rows[0]?["cells[\(author)].link.label"]?.string == "Ada")
    let writers = try #require(try test.browser.json("e/Writer.json")["rows"]?.array)
    #expect(writers.map { $0["isNew"]?.bool } == [false, false, true])
  }

  @Test(
    arguments: [
      ("where.title=title", [10]), ("where.title==Title+10", [10]), ("where.length=1100", [11]),
      ("where.length=%3E1000", [11]), ("where.length=%3C%3D1000", [10]), ("where.rating=null", [10, 11]),
      ("where.rating=%21null", []), ("where.title=%25", []), ("only=edited", [11]), ("only=placeholders", []),
      ("sort=-length", [11, 10]), ("sort=title", [11, 10]), ("sort=rating", [10, 11]), ("sort=-rating", [11, 10]),
    ])
  func `conditions and orders choose rows`(_ query: String, _ uids: [Int]) async throws {
    let test = try await InspectedStore()
    let page = try test.browser.json("e/Article.json?\(query)")
    #expect(page["problem"] == nil)
    #expect(page["rows"]?.array?.compactMap { $0["cells[0].text"]?.string } == uids.map(String.init))
  }

  @Test func `a condition that is no value of its column gets a sentence`() async throws {
    let test = try await InspectedStore()
    let page = try test.browser.json("e/Article.json?where.length=long")
    #expect(page["problem"]?.string == "'long' is no value of length: give an integer.")
    #expect(page["rows"]?.array?.isEmpty == true)
  }

  @Test(arguments: ["", "sort=length&", "sort=-length&", "sort=rating&", "sort=-rating&", "sort=-_pk&"])
  func `pages go on behind their last row, and each row is on one of them`(_ order: String) async throws {
    let test = try await InspectedStore()
    try await test.store.background { context in
      let writer = try context.upsert(Writer.self, uid: 1)
      for uid in 1000..<1248 {
        let article = try context.upsert(Article.self, uid: uid)
        (article.title, article.length, article.author) = ("\(uid)", uid % 7, writer)
        article.rating = uid % 3 == 0 ? nil : Double(uid % 5)
      }
    }
    var found: [Int64] = []
    var after = ""
    for size in [100, 100, 50] {
      let page = try test.browser.json("e/Article.json?\(order)\(after)")
      let pks = try #require(page["rows"]?.array).compactMap { $0["pk"]?.int64 }
      #expect(pks.count == size)
      found += pks
      if let next = page["next"]?.int64 { after = "after=\(next)" }
    }
    #expect(Set(found).count == 250)
  }

  @Test func `an object has both sides of its links, its bases, and who wrote each property`() async throws {
    let test = try await InspectedStore()
    let ada = try #require(try test.browser.json("e/Writer.json")["rows[0].pk"]?.int64)
    let page = try test.browser.json("e/Writer/\(ada).json")
    #expect(page["label"]?.string == "Ada")
    let related = try #require(page["related"]?.array)
    let articles = try #require(related.first { $0["title"]?.string == "articles" })
    #expect(related.contains { $0["title"]?.string == "followers" })
    #expect(articles["count"]?.int64 == 1)
    let path = try #require(articles["path"]?.string)
    #expect(try test.browser.get(path).body.contains("Title 10"))
    let article = try #require(try test.browser.json("e/Article.json?only=edited")["rows[0].pk"]?.int64)
    let one = try test.browser.json("e/Article/\(article).json")
    let properties = try #require(one["properties"]?.array)
    let title = try #require(properties.first { $0["name"]?.string == "title" })
    let length = try #require(properties.first { $0["name"]?.string == "length" })
    #expect(title["cell"]?["edit"]?["base"]?.string == "Title 11")
    #expect(title["writer"]?["author"]?.string == "test")
    #expect(try #require(title["writer"]?["generation"]?.int64) > #require(length["writer"]?["generation"]?.int64))
    let tags = try #require(one["related"]?.array?.first { $0["title"]?.string == "tags" }?["path"]?.string)
    #expect(try test.browser.get(tags).body.contains("swift"))
  }

  @Test func `a file without the names of lists has the links that lead to them`() async throws {
    let test = try await InspectedStore()
    try HostileFileTests.execute(
      "UPDATE _entity_store SET value = replace(value, '\"reverse\":', '\"later\":') WHERE key = 'schema'",
      on: test.file)
    let ada = try #require(try test.browser.json("e/Writer.json")["rows[0].pk"]?.int64)
    let titles =
      try test.browser.json("e/Writer/\(ada).json")["related"]?.array?.compactMap { $0["title"]?.string } ?? []
    #expect(titles.contains("Article whose author this is") && titles.contains("Writer whose following have this"))
  }

  @Test func `pending changes are edits, new objects and deletions`() async throws {
    let test = try await InspectedStore()
    let page = try test.browser.json("pending.json")
    let edits = try #require(page["edits"]?.array)
    let title = try #require(edits.first { $0["property"]?.string == "title" })
    #expect(title["base"]?.string == "Title 11" && title["value"]?.string == "Changed here")
    #expect(edits.contains { $0["property"] == nil && $0["object"]?["label"]?.string == "Cy" })
    #expect(page["deletions"]?.array?.map { $0["uid"]?.string } == ["12"])
    #expect(page["plan"] == nil)
    #expect(try test.browser.get("pending").body.contains("A file has no plan."))
  }

  @Test func `the history has commits with their rows, and a commit the values that stand now`() async throws {
    let test = try await InspectedStore()
    let commits = try #require(try test.browser.json("commits.json")["commits"]?.array)
    #expect(commits.allSatisfy { $0["author"]?.string == "test" })
    let last = try #require(commits.first?["generation"]?.int64)
    let kinds = try #require(commits.first?["changes"]?.array).map {
      "\($0["entity"]?.string ?? "") \($0["kind"]?.string ?? "")"
    }
    #expect(Set(kinds).isSuperset(of: ["Article updated", "Article deleted", "Writer inserted"]))
    let lines = try #require(try test.browser.json("commits/\(last).json")["lines"]?.array)
    let edited = try #require(
      lines.first { $0["kind"]?.string == "updated" && $0["object"]?["entity"]?.string == "Article" })
    #expect(edited["values[0].text"]?.string == "Changed here")
    #expect(try test.browser.get("commits/999999").status == 404)
  }

  @Test func `a file without a history says how to keep one`() async throws {
    let test = try await InspectedStore(history: nil)
    #expect(try test.browser.json("commits.json")["commits"]?.array?.isEmpty == true)
    #expect(try test.browser.get("commits").body.contains("StoreOptions.history"))
    // Nobody can say who wrote a property.
    let pk = try #require(try test.browser.json("e/Writer.json")["rows[0].pk"]?.int64)
    #expect(try !test.browser.get("e/Writer/\(pk)").body.contains("written by"))
  }

  @Test func `the file has sizes, entities and a check`() async throws {
    let test = try await InspectedStore()
    let page = try test.browser.json("file.json?check=1")
    #expect(page["facts"]?["format"]?.string == "1")
    #expect(page["entities"]?.array?.map { $0["name"]?.string } == ["Writer", "Article", "Tag", "Town"])
    #expect(page["check"]?["damage"]?.array?.isEmpty == true && page["check"]?["isComplete"]?.bool == true)
    #expect(try #require(page["database"]?.int64) > 0)
    #expect(try test.browser.get("file").body.contains("<svg"))
  }

  @Test func `a commit of another store is an event, and the pages have it`() async throws {
    let test = try await InspectedStore()
    let body = try test.browser.get("pending").body
    let generation = try #require(body.firstMatch(of: /data-generation="(\d+)"/)?.1)
    let stream = try test.browser.events(after: try #require(Int64(generation)))
    _ = try stream.read(until: "\r\n\r\n")
    let other = try EntityStore(.file(test.file), entities: Writer.world)
    try await other.background { try $0.upsert(Writer.self, uid: 1).name = "Renamed elsewhere" }
    let event = try stream.read(until: "\n\n")
    #expect(event.contains("event: commit") && !event.contains("\"generation\":\(generation)}"))
    #expect(try test.browser.get("e/Writer").body.contains("Renamed elsewhere"))
  }

  @Test func `an unknown entity, object and page are told from each other`() async throws {
    let test = try await InspectedStore()
    for (path, text) in [
      ("e/Nobody", "no entity 'Nobody'"), ("e/Writer/99999999", "no row '99999999'"), ("e/Writer/x", "no row 'x'"),
      ("nothing", "no page"), ("e", "no page"), ("e/Writer/1/2", "no page"),
    ] {
      let page = try test.browser.get("\(path).json")
      #expect(page.status == 404 && page.body.contains(text), "\(path): \(page.body)")
    }
  }
}
