import EntityOutbox
import EntityStore
import Foundation

/// The pages of one store: finds the page for a path, reads it in one moment of the file, and shows it.
struct Site: Sendable {
  let location: StoreLocation
  /// The name of the store in titles.
  let name: String
  /// The path that all pages are below.
  let root: String
  /// The knowledge of the app; none where a file is shown.
  var app = AppKnowledge()

  func answer(_ request: ServerRequest, _ path: [String]) -> InspectorServer.Answer {
    switch path {
    case ["inspector.js"]: return .response(ServerResponse(200, .script, Array(Assets.script.utf8)))
    case ["inspector.css"]: return .response(ServerResponse(200, .style, Array(Assets.style.utf8)))
    case ["events"]:
      return .events(CommitEvents(location, app.requests, after: request["after"].flatMap { Int64($0) }).next)
    default: return .response(page(request, path))
    }
  }

  private func page(_ request: ServerRequest, _ path: [String]) -> ServerResponse {
    var parts = path
    let isJSON = parts.last?.hasSuffix(".json") == true
    if isJSON, let last = parts.popLast() { parts.append(String(last.dropLast(5))) }
    do {
      let moment = AppMoment(app, for: parts)
      let reader = try StoreFileReader(location)
      return try reader.reading {
        if parts == [""] {
          let first = reader.schema.entities.first.map { PageLink.entity($0.name).path } ?? "file"
          return .redirect(to: root + first)
        }
        let page = try self.page(parts, request, moment, reader)
        guard !isJSON else { return ServerResponse(page.status, .json, try page.json()) }
        return try show(page, reader)
      }
    } catch {
      return Self.failure(error, isJSON: isJSON)
    }
  }

  private func show(_ page: any Page, _ reader: StoreFileReader) throws -> ServerResponse {
    let layout = Layout(
      title: page.title, content: page.content, root: root,
      navigation: try Navigation(
        reader, file: name, views: (app.isApp ? Self.viewsOfApps : []) + Self.views, current: page.current),
      changesByItself: page.changesByItself)
    return ServerResponse(page.status, .html, Array(layout.document.text.utf8))
  }

  /// The file can't be read at all, so that there is no frame for a page either.
  private static func failure(_ error: any Error, isJSON: Bool) -> ServerResponse {
    let message = (error as? StoreError)?.description ?? "\(error)"
    let page = MessagePage(title: "The file can't be read", message: message, status: 500)
    guard isJSON, let json = try? page.json() else { return ServerResponse(500, "\(page.title). \(message)") }
    return ServerResponse(500, .json, json)
  }

  private static let noPage = MessagePage(
    title: "No such page", message: "The inspector has no page of this address.")

  private static func ofApps(_ name: String) -> MessagePage {
    MessagePage(
      title: name, message: "A file has none. An app that starts the inspector with its client shows its own here.")
  }

  private static let viewsOfApps = ["requests", "live"]
  private static let views = ["pending", "commits", "sql", "file"]

  private func page(
    _ parts: [String], _ request: ServerRequest, _ moment: AppMoment, _ reader: StoreFileReader
  ) throws -> any Page {
    switch (parts.first, parts.count) {
    case ("e", 2), ("e", 3):
      guard let entity = reader.schema[parts[1]] else {
        return MessagePage(title: "No such entity", message: "The file has no entity '\(parts[1])'.")
      }
      guard parts.count == 3 else { return try RowsPage(RowsQuery(entity, request, reader.schema), reader) }
      guard let pk = Int64(parts[2]), let page = try ObjectPage(entity, pk, app, moment.plan, reader) else {
        return MessagePage(title: "No such object", message: "\(entity.name) has no row '\(parts[2])'.")
      }
      return page
    case ("pending", 1): return try PendingPage(moment.plan, isOfApp: app.isApp, reader)
    case ("requests", 1): return app.requests.map { RequestsPage($0) } ?? Self.ofApps("Requests")
    case ("requests", 2):
      guard let entry = Int(parts[1]).flatMap({ app.requests?[$0] }) else { return Self.noPage }
      return try RequestPage(entry, reader)
    case ("live", 1): return moment.live.map { LivePage($0, reader) } ?? Self.ofApps("Live queries")
    case ("commits", 1): return try CommitsPage(before: request["before"].flatMap { Int64($0) }, reader)
    case ("commits", 2):
      guard let generation = Int64(parts[1]), let page = try CommitPage(generation, reader) else {
        return MessagePage(title: "No such commit", message: "The file does not keep the commit '\(parts[1])'.")
      }
      return page
    case ("sql", 1): return SQLPage(request["q"] ?? "", reader)
    case ("file", 1): return try FilePage(location.description, checks: request["check"] != nil, reader)
    default: return Self.noPage
    }
  }
}

/// The answers of the app to a page, which come before the file is read.
private struct AppMoment {
  var plan: AppAnswer<OutboxPlan>?
  var live: AppAnswer<[LiveQueryFacts]>?

  init(_ app: AppKnowledge, for parts: [String]) {
    switch (parts.first, parts.count) {
    case ("pending", 1): plan = app.plan()
    case ("live", 1): live = app.liveQueries()
    case ("e", 3): plan = Int64(parts[2]).flatMap { app.plan(about: (parts[1], $0)) }
    default: break
    }
  }
}

extension Navigation {
  /// Rows and edits are counted up to this number: to count a million rows takes longer than the rest of a page.
  private static let counted: Int64 = 10_000
  /// More entities are not listed: a file may name any number of them.
  private static let most = 500

  init(_ reader: StoreFileReader, file: String, views: [String], current: String?) throws {
    func count(_ rows: String, _ values: [StoredValue] = []) throws -> Count {
      let found =
        try reader.rows("SELECT count(*) FROM (\(rows) LIMIT \(Self.counted + 1))", values).rows.first?.first?
        .integer ?? 0
      return Count(number: min(found, Self.counted), isMore: found > Self.counted)
    }
    let entities = try reader.schema.entities.prefix(Self.most).map { entity in
      let rows = try count("SELECT 1 FROM \(entity.table)")
      return Entity(
        name: entity.name, rows: rows.number, isMore: rows.isMore,
        edited: try count("SELECT DISTINCT pk FROM main._entity_edits WHERE entity = ?", [.text(entity.name)]))
    }
    let pending = [
      try count("SELECT DISTINCT entity, pk FROM main._entity_edits"),
      try count("SELECT 1 FROM main._entity_deletions"),
      try count("SELECT 1 FROM main._entity_outbox"),
    ]
    self.init(
      file: file, generation: try reader.generation(), entities: entities,
      pending: Count(number: pending.reduce(0) { $0 + $1.number }, isMore: pending.contains(where: \.isMore)),
      views: views,
      current: current)
  }
}
