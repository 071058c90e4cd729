/// The frame of each page: the list of entities and views on the left, the content on the right.
struct Layout {
  let title: String
  let content: HTML
  let root: String
  let navigation: Navigation
  /// Whether the page changes without a commit.
  let changesByItself: Bool

  private var poll: HTML { changesByItself ? " data-poll" : "" }

  /// The whole document.
  var document: HTML {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>\(title) · \(navigation.file)</title>
    <meta name="viewport" content="width=device-width"><base href="\(root)"><link rel="icon" href="data:,">
    <link rel="stylesheet" href="inspector.css"><script src="inspector.js" defer></script></head>
    <body data-generation="\(navigation.generation)" data-view="\(navigation.current ?? "")"\(poll)>
    <nav aria-label="Store" data-live="nav">\(navigation.html)</nav>
    <main><h1>\(title)</h1>\(content)</main>
    \(Self.help)
    </body></html>
    """
  }

  private static let help: HTML = """
    <dialog id="help" aria-label="Keys"><h2>Keys</h2><dl>
    <dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>the next and the former entry on the left</dd>
    <dt><kbd>↓</kbd> <kbd>↑</kbd></dt><dd>the next and the former row</dd>
    <dt><kbd>Enter</kbd></dt><dd>open the row</dd>
    <dt><kbd>n</kbd></dt><dd>the next page</dd>
    <dt><kbd>/</kbd></dt><dd>type a condition</dd>
    <dt><kbd>e</kbd></dt><dd>edited rows only, and all rows again</dd>
    <dt><kbd>Esc</kbd></dt><dd>leave a field, or this list</dd>
    <dt><kbd>?</kbd></dt><dd>this list</dd>
    </dl></dialog>
    """
}

/// The entries on the left.
struct Navigation: Encodable {
  struct Entity: Encodable {
    let name: String
    /// The number of rows, as far as it was counted.
    let rows: Int64
    /// Whether there are more rows than were counted.
    let isMore: Bool
    let edited: Count
  }

  struct Count: Encodable {
    let number: Int64
    /// Whether there are more than were counted.
    let isMore: Bool

    var text: String { "\(number)\(isMore ? "+" : "")" }
  }

  let file: String
  let generation: Int64
  let entities: [Entity]
  let pending: Count
  /// The views that this inspector has besides the entities.
  let views: [String]
  /// The entity or the view that is shown; `nil` for none.
  let current: String?

  var html: HTML {
    """
    <p class="file" title="\(file)"><b>\(file)</b><small>generation <span id="generation">\(generation)</span></small></p>
    <h2>Entities</h2>\(entities.map(entry))
    <h2>Store</h2>\(views.map(view))<p class="hint"><kbd>?</kbd> keys</p>
    """
  }

  private func entry(_ entity: Entity) -> HTML {
    let edits: HTML? = entity.edited.number > 0 ? "<span class=\"edits\">\(entity.edited.text) edited</span>" : nil
    return """
      <a href="\(PageLink.entity(entity.name))"\(HTML.current(entity.name == current))>\(entity.name)<small>\(edits) \
      \(entity.rows)\(entity.isMore ? "+" : "")</small></a>
      """
  }

  private func view(_ name: String) -> HTML {
    let count: HTML? = name == "pending" && pending.number > 0 ? "<small class=\"edits\">\(pending.text)</small>" : nil
    return "<a href=\"\(PageLink(name))\"\(HTML.current(name == current))>\(Self.titles[name] ?? name)\(count)</a>"
  }

  static let titles = [
    "pending": "Pending changes", "commits": "History", "sql": "SQL", "file": "File", "requests": "Requests",
    "live": "Live queries",
  ]
}
