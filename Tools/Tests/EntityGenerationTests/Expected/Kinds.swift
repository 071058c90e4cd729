import EntityClient

enum TaskState: String, AttributeValue {
  case `open`
  case inReview = "in-review"
  case done
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

struct Tag: Codable, AttributeValue {
  var name: String?
  var color: String?
}
