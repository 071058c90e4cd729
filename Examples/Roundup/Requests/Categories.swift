import EntityClient

extension Keyword: TrackerItem {
  static var basePath: String { "keyword" }
  static var fields: String { "name" }
}

extension User: TrackerItem {
  static var basePath: String { "user" }
  static var fields: String { "username,realname,address" }
}

extension Message: TrackerItem {
  static var basePath: String { "msg" }
  static var fields: String { "content,author,creation" }
  static var verbose: Int { 3 }  // else the content is a link
}

extension Priority: TrackerItem {
  static var basePath: String { "priority" }
  static var fields: String { "name,order" }
}

extension Status: TrackerItem {
  static var basePath: String { "status" }
  static var fields: String { "name,order" }
}
