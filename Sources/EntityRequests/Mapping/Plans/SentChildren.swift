import EntityJSON
import EntityStore

/// The objects of one relationship that the body of a request nests in the object of the request, or in another nested
/// object. The answer tells the uids of objects that the server did not know.
///
/// ```
/// POST /sales  {"total": "11", "tenders": [{"amount": "5"}, {"amount": "6"}]}
/// 201          {"id": 9, "tenders": [{"id": 138, "amount": "5"}, {"id": 139, "amount": "6"}]}
/// ```
struct SentChildren: Sendable {
  let property: Int
  /// In the order of the body.
  let members: [Member]

  struct Member: Sendable {
    /// `nil` for an object that the server does not know.
    let uid: StoredValue?
    /// The object as the body has it.
    let body: JSONObject
    /// The edits of a new object that were sent with it.
    let edits: SentEdits?
    let children: [SentChildren]

    var isNew: Bool { edits != nil }
    /// Its own edits, and the edits of all new objects in it.
    var allEdits: [SentEdits] { (edits.map { [$0] } ?? []) + children.flatMap(\.allEdits) }
  }

  var allEdits: [SentEdits] { members.flatMap(\.allEdits) }
}
