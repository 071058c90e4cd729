import EntityClient

enum CommentType: String, AttributeValue {
  case comment
}

enum PhotoType: String, AttributeValue {
  case photo
}

enum TaskState: String, AttributeValue {
  case `open`
  case inReview = "in-review"
  case done
}

struct ArchiveStatus: Codable, AttributeValue {
  var status: String?
}

struct Place: Codable, AttributeValue {
  var lat: Double?
  var lng: Double?
  var streetLine: String?

  enum CodingKeys: String, CodingKey {
    case lat
    case lng
    case streetLine = "street_line"
  }
}

struct SessionToken: Codable, AttributeValue {
  var token: String?
  var expiresAt: String?

  enum CodingKeys: String, CodingKey {
    case token
    case expiresAt = "expires_at"
  }
}

struct Tag: Codable, AttributeValue {
  var name: String?
  var color: String?
}

/// How many tasks there are.
struct TaskStats: Codable, AttributeValue {
  var `open`: Int?
  var done: Int?
}
