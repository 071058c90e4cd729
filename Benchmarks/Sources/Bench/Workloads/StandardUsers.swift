/// The standard work: 100,000 users in one array, each with a nested address; about 33 MB.
enum StandardUsers {
  private static let first = ["Anna", "Bj\\u00f6rn", "Chlo\\u00e9", "D\\\"Arcy", "Eve\\nLyn", "Fr\\u00e9d"]
  private static let last = ["Smith", "García", "Miller", "O'Brien", "Kowalska", "Nakamura", "Okafor"]
  private static let streets = ["Main Street", "High Road", "Station Lane", "Park Avenue", "Mill Hill"]
  private static let cities = ["Springfield", "Riverside", "Fairview", "Georgetown", "Clinton"]
  private static let words = [
    "reader", "walks", "early", "coffee", "maps", "river", "writes", "small", "tools", "of", "the", "and", "long",
  ]

  /// - Parameter older: How many years to add to a user's age, by the user's place in the array.
  static func json(count: Int, older: (Int) -> Int = { _ in 0 }) -> [UInt8] {
    json(ids: Array(1...count), older: older)
  }

  /// Users with these ids. Their other values go by their places.
  static func json(ids: [Int], hasAddresses: Bool = true, older: (Int) -> Int = { _ in 0 }) -> [UInt8] {
    var random = SplitMix(seed: 1)
    return .array(count: ids.count) { index, bytes in
      let user = ids[index]
      bytes.add("{\"id\":\(user),\"email\":\"user\(user)@example.com\"")
      bytes.add(",\"first\":\"\(pick(first, &random))\",\"last\":\"\(pick(last, &random))\"")
      bytes.add(",\"age\":\(Int.random(in: 18...90, using: &random) + older(index))")
      bytes.add(",\"score\":\(Double(Int.random(in: 1...9_999_999, using: &random)) / 1000)")
      bytes.add(",\"active\":\(Bool.random(using: &random))")
      bytes.add(",\"created_at\":\"\(date(&random))\",\"bio\":\"\(bio(&random))\"")
      guard hasAddresses else { return bytes.add("}") }
      bytes.add(",\"address\":{\"id\":\(1_000_000 + user)")
      bytes.add(",\"street\":\"\(Int.random(in: 1...999, using: &random)) \(pick(streets, &random))\"")
      bytes.add(",\"city\":\"\(pick(cities, &random))\",\"state\":\"CA\"")
      bytes.add(",\"zip\":\"\(Int.random(in: 10000...99999, using: &random))\"}}")
    }
  }

  /// Three keys of each user: of the id, the email address as in `json(count:older:)`, and an age.
  static func partial(count: Int, age: Int) -> [UInt8] {
    .array(count: count) { index, bytes in
      bytes.add("{\"id\":\(index + 1),\"email\":\"user\(index + 1)@example.com\",\"age\":\(age)}")
    }
  }

  private static func pick(_ choices: [String], _ random: inout SplitMix) -> String {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private static func date(_ random: inout SplitMix) -> String {
    func two(_ range: ClosedRange<Int>) -> String {
      let number = Int.random(in: range, using: &random)
      return number < 10 ? "0\(number)" : "\(number)"
    }
    return "\(Int.random(in: 2010...2025, using: &random))-\(two(1...12))-\(two(1...28))"
      + "T\(two(0...23)):\(two(0...59)):\(two(0...59))Z"
  }

  private static func bio(_ random: inout SplitMix) -> String {
    var text = pick(words, &random)
    while text.utf8.count < 56 { text += " " + pick(words, &random) }
    return text
  }
}

/// A user as rivals that make structs decode it.
struct User: Decodable, Digestible {
  struct Address: Decodable, Digestible {
    let id: Int
    let street: String
    let city: String
    let state: String
    let zip: String

    var digest: UInt64 {
      Digest.object([
        ("id", Digest.int(Int64(id))), ("street", street.digest), ("city", city.digest), ("state", state.digest),
        ("zip", zip.digest),
      ])
    }
  }

  enum CodingKeys: String, CodingKey {
    case id, email, first, last, age, score, active
    case createdAt = "created_at"
    case bio, address
  }

  let id: Int
  let email: String?
  let first: String?
  let last: String?
  let age: Int
  let score: Double
  let active: Bool
  /// Left as text, for the readers in the contest leave it so as well.
  let createdAt: String
  let bio: String?
  let address: Address?

  var digest: UInt64 {
    Digest.object([
      ("id", Digest.int(Int64(id))), ("email", email?.digest ?? Digest.null), ("first", first?.digest ?? Digest.null),
      ("last", last?.digest ?? Digest.null), ("age", Digest.int(Int64(age))), ("score", score.digest),
      ("active", Digest.bool(active)), ("created_at", createdAt.digest), ("bio", bio?.digest ?? Digest.null),
      ("address", address?.digest ?? Digest.null),
    ])
  }
}
