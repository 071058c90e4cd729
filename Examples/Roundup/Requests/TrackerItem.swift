import EntityClient

/// The parts that all classes of a tracker have in common.
protocol TrackerItem: RemoteEntity where UpdateResult == Void {
  /// The fields that a list is to have of each item, besides its id.
  static var fields: String { get }
  /// How much the tracker tells: 0, where a link is an id, unless more is needed.
  static var verbose: Int { get }
  /// The version that was read with the item itself; lists have none.
  var etag: String? { get set }
}

extension TrackerItem {
  static var verbose: Int { 0 }

  /// A list has the fields in the item, the item's own URL under "attributes", and the answer to a change under
  /// "attribute".
  func update(with response: ResponseObject) throws {
    let changed = response.object("attribute")
    try assignDeclared(from: changed ?? response.object("attributes") ?? response)
    if changed != nil { etag = nil }  // the answer does not say the new one
    try response.assign("@etag", to: &etag)
  }

  /// Brings this class up to date, page by page; items that the tracker no longer has are deleted here too.
  @discardableResult
  nonisolated(nonsending) static func sync() async throws -> EntityPages<Self>.Summary {
    try await pages(
      query: ["@fields": fields, "@verbose": verbose, "@sort": "id"], by: TrackerPages(),
      options: [.envelope("data.collection"), .deleteMissing(in: all)]
    ).all()
  }
}
