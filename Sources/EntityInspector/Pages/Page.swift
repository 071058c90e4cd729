import EntityJSON

/// A page of the inspector. It is a value that is shown in two ways: as HTML, and as JSON at the same path with `.json`.
protocol Page: Encodable {
  var title: String { get }
  /// The entry on the left; `nil` for none.
  var current: String? { get }
  var content: HTML { get }
  var status: Int { get }
  /// Whether the page changes without a commit: then it is fetched each second.
  var changesByItself: Bool { get }
}

extension Page {
  var status: Int { 200 }
  var changesByItself: Bool { false }

  func json() throws -> [UInt8] { try JSONValueEncoder(format: .sorted).bytes(of: self) }
}

/// A page that says why there is no other one.
struct MessagePage: Page {
  let title: String
  let message: String
  var status = 404
  var current: String? { nil }
  var content: HTML { .problem(message) }

  enum CodingKeys: String, CodingKey { case title, message }
}
