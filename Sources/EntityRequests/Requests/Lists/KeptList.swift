import EntityJSON
import EntityStore
import HTTPFoundation

/// The content of the note of a stored collection: where its pages go on, and what the next request needs.
struct KeptList: Codable, Equatable, Sendable {
  /// Where the page behind the last member is; `nil` at the end.
  var next: KeptPlace?
  /// Where the page before the first member is; `nil` where there is none.
  var earlier: KeptPlace?
  /// Changes when the list begins anew. A page that was asked for before does not fit the list any more.
  var walk = 0
  /// The first page, for its validators and its freshness.
  var answer: KeptAnswer?
  /// The number of objects on the first page.
  var count = 0
  /// The number of all objects that the last page with a total said.
  var total: Int?
  /// The token of the changes that are here; `nil` before all pages are.
  var token: String?
  /// The token with which the walk began.
  var nextToken: String?
  /// Whether the pages may have left an object out.
  var isDoubtful: Bool?
  /// Whether the next load begins anew: objects went during the walk, so that those behind them may have moved to a page that came
  /// already, or it is not known what stands before the first page.
  var isShifted: Bool?
  /// Whether a refresh has changed the list while its pages were walked, so that the walk is of several states of the server.
  var isSpliced: Bool?
  /// The number of members after the last page, where the pagination counts.
  var reached: Int?
  /// The server's total less the number of members, after the last load; `nil` before a walk has ended.
  var gap: Int?
  /// How many objects the last pages in a row had that were members already.
  var idle: Int?
  /// The mapping by which the first page was read.
  var mapping = ""
  /// The entities of the parts, as keys.
  var parts: [String: Int]?

  init(walk: Int) { self.walk = walk }

  /// Reads the text of a note; `nil` for a text in another form. The text of a confirmation is an answer's, ``KeptAnswer/text``.
  init?(_ note: CollectionNote) {
    guard let list = try? JSONValueDecoder().decode(KeptList.self, from: note.text) else { return nil }
    self = list
    if answer != nil, let confirmed = note.confirmation.flatMap({ KeptAnswer($0) }) { answer = confirmed }
  }

  var text: String {
    get throws { String(decoding: try JSONValueEncoder(format: .sorted).bytes(of: self), as: UTF8.self) }
  }

  /// Begins anew behind a first page.
  mutating func begin(_ next: KeptPlace?, _ earlier: KeptPlace?) {
    if [self.next, next, self.earlier, earlier].contains(where: { $0 != nil }) { walk += 1 }
    self.next = next
    self.earlier = earlier
    (isDoubtful, isShifted, isSpliced) = (nil, nil, nil)
    (idle, gap) = (nil, nil)
    (token, nextToken) = (nil, nil)
  }
}
