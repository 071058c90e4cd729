/// All users: generated from their ids, but for those that were changed, created or deleted.
struct UserData: Sendable {
  /// The texts of users that were changed or created.
  private var changed: [Int: [UInt8]] = [:]
  /// The ids of users that were deleted, sorted; they are not given again.
  private var deleted: [Int] = []
  /// The ids from 1 to this one were given.
  private var lastID: Int

  init(count: Int) {
    lastID = max(0, count)
  }

  /// The number of users that exist.
  var count: Int { lastID - deleted.count }

  func contains(_ id: Int) -> Bool {
    guard id >= 1, id <= lastID else { return false }
    let index = placeOfDeleted(id)
    return index == deleted.endIndex || deleted[index] != id
  }

  /// The JSON text of a user; nil when it does not exist.
  func user(_ id: Int) -> [UInt8]? {
    guard contains(id) else { return nil }
    var json = JSONBytes(capacity: UserGenerator.typicalSize)
    append(id, to: &json)
    return json.bytes
  }

  /// The first name of a user as JSON; nil when it does not exist, or has none.
  func firstName(_ id: Int) -> [UInt8]? {
    guard contains(id) else { return nil }
    guard let text = changed[id] else { return UserGenerator.firstName(of: id) }
    guard case .object(let members)? = try? JSONValue(json: text) else { return nil }
    return try? members["first"]?.json()
  }

  /// The JSON array of `limit` users at most that have a text in their name or e-mail address, in any case.
  func list(with text: String, limit: Int?) -> [UInt8] {
    let text = text.lowercased()
    return list(containing: text, limit: limit) { user in
      ["first", "last", "email"].contains { key in
        if case .string(let value) = user[key] { value.lowercased().contains(text) } else { false }
      }
    }
  }

  /// The JSON array of `limit` users at most that have an e-mail address.
  func list(email: String, limit: Int?) -> [UInt8] {
    list(containing: email.lowercased(), limit: limit) { $0["email"] == .string(email) }
  }

  /// - Parameter text: In lower case, a text that each user has who is wanted.
  private func list(
    containing text: String, limit: Int?, _ isWanted: ([String: JSONValue]) -> Bool
  ) -> [UInt8] {
    // Such texts stand in the JSON as they are, and most users need not be decoded.
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "@") }
    var json = JSONBytes()
    json.append("[")
    var count = 0
    for id in stride(from: 1, through: lastID, by: 1) where count < limit ?? .max {
      guard let user = user(id) else { continue }
      if isPlain, !String(decoding: user, as: UTF8.self).lowercased().contains(text) { continue }
      guard case .object(let members)? = try? JSONValue(json: user), isWanted(members) else { continue }
      if count > 0 { json.append(",") }
      json.append(user)
      count += 1
    }
    json.append("]")
    return json.bytes
  }

  /// The JSON array of `limit` users at most, by ascending id, after the first `offset` ones.
  func list(offset: Int = 0, limit: Int = .max) -> [UInt8] {
    let size = max(0, min(limit, count - min(offset, count)))
    guard size > 0 else { return Array("[]".utf8) }
    var json = JSONBytes(capacity: 2 + size * UserGenerator.typicalSize)
    json.append("[")
    var next = deleted.startIndex
    var id = offset + 1
    // Each deleted user at or before the place moves it one on.
    while next < deleted.endIndex, deleted[next] <= id {
      id += 1
      next += 1
    }
    for place in 0..<size {
      if place > 0 { json.append(",") }
      append(id, to: &json)
      id += 1
      while next < deleted.endIndex, deleted[next] == id {
        id += 1
        next += 1
      }
    }
    json.append("]")
    return json.bytes
  }

  /// Creates a user from a client's attributes, under the next id, which it answers with the user's text.
  mutating func create(_ attributes: [String: JSONValue]) throws -> (id: Int, json: [UInt8]) {
    let id = lastID + 1
    var attributes = attributes
    attributes["id"] = .int(id)
    if attributes["created_at"] == nil {
      var date = JSONBytes()
      UserGenerator.appendDate(of: id, to: &date)
      attributes["created_at"] = .string(String(decoding: date.bytes, as: UTF8.self))
    }
    if case .object(var address) = attributes["address"], address["id"] == nil {
      address["id"] = .int(id)
      attributes["address"] = .object(address)
    }
    let json = try JSONValue.object(attributes).json()
    lastID = id
    changed[id] = json
    return (id, json)
  }

  /// Changes attributes of a user, and answers its text; nil when it does not exist.
  ///
  /// - Parameter deep: Whether an object inside the attributes is merged as well, rather than replaced.
  mutating func update(_ id: Int, with attributes: [String: JSONValue], deep: Bool) throws -> [UInt8]? {
    guard let old = user(id), case .object(var members) = try JSONValue(json: old) else { return nil }
    for (key, value) in attributes {
      members[key] = deep ? members[key]?.merging(value) ?? value : value
    }
    members["id"] = .int(id)
    let json = try JSONValue.object(members).json()
    changed[id] = json
    return json
  }

  /// Deletes a user, and answers whether it existed.
  mutating func delete(_ id: Int) -> Bool {
    guard contains(id) else { return false }
    deleted.insert(id, at: placeOfDeleted(id))
    changed[id] = nil
    return true
  }

  private func append(_ id: Int, to json: inout JSONBytes) {
    if let text = changed[id] {
      json.append(text)
    } else {
      UserGenerator.append(id, to: &json)
    }
  }

  /// The first place in `deleted` whose id is not below this one.
  private func placeOfDeleted(_ id: Int) -> Int {
    var low = deleted.startIndex
    var high = deleted.endIndex
    while low < high {
      let middle = (low + high) / 2
      if deleted[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
