import CSQLite
import EntityInspector
import EntityJSON
import EntityStore
import Foundation
import TestSchema
import Testing

/// Files that somebody made to harm, and files that are no store.
struct HostileFileTests {
  static func execute(_ sql: String, on file: URL) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    try #require(sqlite3_open(file.path, &handle) == SQLITE_OK)
    sqlite3_create_function(
      handle, "evil", 0, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil)
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
  }

  @Test func `texts of the file are never markup`() async throws {
    let test = try await InspectedStore()
    let script = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u{0}&lt;<\u{338}b>"
    try await test.store.background { try $0.upsert(Writer.self, uid: 1).name = script }
    let paths = ["e/Writer", "e/Writer?where.name=%3Cscript%3E%22", "pending", "commits", "file", "e/Article"]
    let pk = try test.browser.json("e/Writer.json")["rows[0].pk"]?.int64 ?? 0
    let sql = "sql?q=SELECT%20name%20AS%20%22%3Cscript%3E%22%20FROM%20Writer%20--%3C%2Ftextarea%3E%3Cscript%3E"
    for path in paths + ["e/Writer/\(pk)", sql, "e/%3Cscript%3E", "%3Cscript%3E"] {
      let body = try test.browser.get(path).body
      #expect(!body.contains("<script>") && !body.contains("<img") && !body.contains("\u{0}"), "\(path)")
      // To a browser this is a tag, and to Swift it is no "<".
      #expect(Array(body.utf8).firstRange(of: Array("<\u{338}".utf8)) == nil, "\(path)")
    }
    #expect(try test.browser.get("e/Writer").body.contains("&lt;script&gt;alert(1)"))
    let attribute = try test.browser.get("e/Writer?where.name=%22%20onfocus%3Dx").body
    #expect(attribute.contains("onfocus=x") && !attribute.contains("\" onfocus=x"))
  }

  @Test func `names of the schema are quoted and escaped`() async throws {
    let test = try await InspectedStore()
    let name = "a\"b<script>'c"
    let quoted = "\"a\"\"b<script>'c\""
    try Self.execute(
      """
      CREATE TABLE \(quoted) (_pk INTEGER PRIMARY KEY, _edited TEXT, _placeholder INTEGER NOT NULL DEFAULT 0, \(quoted) TEXT);
      INSERT INTO \(quoted) (_pk, \(quoted)) VALUES (7, 'found');
      UPDATE _entity_store SET value = '{"entities":[{"name":"a\\"b<script>''c","properties":[{"name":"a\\"b<script>''c",\
      "type":"String","isOptional":true,"isUID":false,"isUnique":false,"isIndexed":false}]}]}' WHERE key = 'schema';
      """, on: test.file)
    let path = "e/\(try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics)))"
    let page = try test.browser.json("\(path).json")
    #expect(page["rows[0].cells[0].text"]?.string == "found")
    for path in [path, "\(path)/7", "file", "pending"] {
      let body = try test.browser.get(path).body
      #expect(!body.contains("<script>"), "\(path)")
    }
  }

  @Test func `views in the place of tables, and functions in the schema, do not run`() async throws {
    let test = try await InspectedStore()
    try Self.execute(
      "DROP TABLE Town; CREATE VIEW Town AS SELECT 1 AS _pk, NULL AS _edited, 0 AS _placeholder, evil() AS uid, 1 AS city, "
        + "1 AS country", on: test.file)
    #expect(try test.browser.get("e/Town").status == 500)
  }

  @Test(
    arguments: [
      "UPDATE _entity_store SET value = '{' WHERE key = 'schema'", "DELETE FROM _entity_store WHERE key = 'schema'",
      "UPDATE _entity_store SET value = x'00' WHERE key = 'schema'", "DROP TABLE _entity_edits", "DROP TABLE Writer",
      "UPDATE _entity_store SET value = 'x' WHERE key = 'generation'",
      "UPDATE _entity_store SET value = 9 WHERE key = 'format'",
      "UPDATE Writer SET age = 'old', name = x'FF', _edited = ',,_new,nobody,'",
      // The members of a list are pairs of the list itself.
      "UPDATE _entity_store SET value = replace(value, '\"name\":\"member\",\"type\":\"-> Tag\"', "
        + "'\"name\":\"member\",\"type\":\"-> Article,tags\"') WHERE key = 'schema'; UPDATE \"Article,tags\" SET member = _pk; "
        + "INSERT INTO _entity_edits SELECT 'Article,tags', _pk, 'owner', NULL, 0, NULL, 1, 1 FROM \"Article,tags\"",
      "UPDATE _entity_edits SET time = 1e300, base = x'00FF', number = -1",
      "INSERT INTO _entity_changes (number, entity, pk, kind) VALUES (9223372036854775807, 'x', -1, 77)",
      "INSERT INTO _entity_commits VALUES (9223372036854775807, 1e308, x'00', 1), (-5, -1e308, '', 0)",
    ])
  func `a file that another program damaged gets a sentence or its rows`(_ sql: String) async throws {
    let test = try await InspectedStore()
    try Self.execute(sql, on: test.file)
    for path in [
      "", "e/Writer", "e/Writer/1", "pending", "commits", "commits/9223372036854775807", "file?check=1", "sql",
    ] {
      let reply = try test.browser.get(path)
      #expect([200, 303, 404, 500].contains(reply.status), "\(path): \(reply.head)")
      #expect(!reply.body.isEmpty)
    }
  }

  @Test func `damaged pages get a sentence`() async throws {
    let test = try await InspectedStore()
    try await test.store.close()
    var bytes = try Data(contentsOf: test.file)
    for place in 4096..<bytes.count where place % 7 == 0 { bytes[place] ^= 0x5A }
    try bytes.write(to: test.file)
    let reply = try test.browser.get("e/Writer")
    #expect([200, 500].contains(reply.status))
    #expect(try test.browser.get("pending").status != 0)
  }

  @Test func `a file that is replaced is shown as it is now`() async throws {
    let test = try await InspectedStore()
    try FileManager.default.removeItem(at: test.file)
    #expect(try test.browser.get("e/Writer").status == 500)
  }

  @Test(
    arguments: [
      ("", "it is empty"), ("hello", "it is text"), ("{\"a\":1}", "it is JSON"), ("<a/>", "it is XML or HTML"),
      ("%PDF-1.4", "it is a PDF document"), ("\u{7f}\u{1}", "it is text"),
      ("{\"archive\":\"EntityClient\",\"format\":1}", "it is the archive of a store. Restore it into a file first"),
      ("{\"log\":{\"version\":\"1.2\",\"entries\":[]}}", "it is a recording of requests (HAR)"),
      ("SQLite format 3\u{0}", "it is a SQLite database that was cut off"),
    ])
  func `a file that is no store gets a sentence that says what it is`(_ text: String, _ kind: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "other-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(text.utf8).write(to: file)
    let error = try #require(throws: InspectorError.self) { try Inspector.start(file: file) }
    #expect(error.description == "'\(file.path)' is no store: \(kind).")
  }

  @Test func `another database, a folder and a missing file are named`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "other-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "other.sqlite")
    try Self.execute("CREATE TABLE a (b)", on: file)
    func sentence(_ file: URL) throws -> String {
      try #require(throws: InspectorError.self) { try Inspector.start(file: file) }.description
    }
    #expect(try sentence(file).contains("a SQLite database of another application"))
    #expect(try sentence(folder).contains("is a folder"))
    #expect(try sentence(folder.appending(path: "none")).hasPrefix("There is no file"))
    try Self.execute("PRAGMA application_id = \(0x456e_7443)", on: file)
    #expect(try sentence(file).contains("a database of another application"))
  }
}
