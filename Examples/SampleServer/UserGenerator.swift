/// Makes the user of an id: always the same one, in about 330 bytes.
///
/// ```json
/// {"id":1,"email":"ada.silva1@example.com","first":"Ada","last":"Silva","age":33,"score":12.5,"active":true,
///  "created_at":"2024-03-01T12:00:00Z","bio":"…","address":{"id":1,"street":"…","city":"…","state":"…","zip":"…"}}
/// ```
///
/// Some names hold a quotation mark, an escape or letters outside ASCII. An address has the id of its user.
enum UserGenerator {
  /// More than the bytes that a user takes, to reserve.
  static let typicalSize = 340

  static func append(_ id: Int, to json: inout JSONBytes) {
    var random = SplitMix64(state: UInt64(bitPattern: Int64(id)))
    let first = random.pick(firstNames)
    let last = random.pick(lastNames)
    json.append(#"{"id":"#)
    json.append(id)
    json.append(#","email":""#)
    json.append(first.mail)
    json.append(".")
    json.append(last.mail)
    json.append(id)
    json.append(#"@example.com","first":""#)
    json.append(first.json)
    json.append(#"","last":""#)
    json.append(last.json)
    json.append(#"","age":"#)
    json.append(18 + random.below(70))
    json.append(#","score":"#)
    json.append(random.below(100))
    json.append(random.pick(fractions))
    json.append(random.below(4) > 0 ? #","active":true,"created_at":""# : #","active":false,"created_at":""#)
    appendDate(of: id, to: &json)
    json.append(#"","bio":"Likes "#)
    json.append(random.pick(interests))
    json.append(", reads about ")
    json.append(random.pick(interests))
    json.append(" and ")
    json.append(random.pick(habits))
    json.append(#".","address":{"id":"#)
    json.append(id)
    json.append(#","street":""#)
    json.append(1 + random.below(999))
    json.append(" ")
    json.append(random.pick(streets))
    let city = random.pick(cities)
    json.append(#"","city":""#)
    json.append(city.name)
    json.append(#"","state":""#)
    json.append(city.state)
    json.append(#"","zip":""#)
    json.append(random.below(100_000), width: 5)
    json.append(#""}}"#)
  }

  /// The first name of a generated user as JSON, with its quotation marks.
  static func firstName(of id: Int) -> [UInt8] {
    var random = SplitMix64(state: UInt64(bitPattern: Int64(id)))
    var json = JSONBytes()
    json.append("\"")
    json.append(random.pick(firstNames).json)
    json.append("\"")
    return json.bytes
  }

  /// Appends when the user of this id was created: in RFC 3339's form, in UTC, from 2015 to 2024.
  static func appendDate(of id: Int, to json: inout JSONBytes) {
    // Its own stream of numbers, as a user that a client created has such a date but no other generated values.
    var random = SplitMix64(state: ~UInt64(bitPattern: Int64(id)))
    json.append(2015 + random.below(10))
    json.append("-")
    json.append(1 + random.below(12), width: 2)
    json.append("-")
    json.append(1 + random.below(28), width: 2)
    json.append("T")
    json.append(random.below(24), width: 2)
    json.append(":")
    json.append(random.below(60), width: 2)
    json.append(":")
    json.append(random.below(60), width: 2)
    json.append("Z")
  }

  private static let firstNames: [(json: StaticString, mail: StaticString)] = [
    ("Ada", "ada"), ("Alan", "alan"), ("Barbara", "barbara"), ("Claude", "claude"), ("Dennis", "dennis"),
    ("Edsger", "edsger"), ("Frances", "frances"), ("Grace", "grace"), ("Hedy", "hedy"), ("John", "john"),
    ("Katherine", "katherine"), ("Ken", "ken"), ("Leslie", "leslie"), ("Margaret", "margaret"),
    (#"Ren\u00e9e"#, "renee"), ("Zoë", "zoe"),
  ]
  private static let lastNames: [(json: StaticString, mail: StaticString)] = [
    ("Allen", "allen"), ("Brown", "brown"), ("Chen", "chen"), ("Fernandez", "fernandez"), ("Hamilton", "hamilton"),
    ("Hopper", "hopper"), ("Johnson", "johnson"), ("Kim", "kim"), ("Kowalski", "kowalski"), ("Lovelace", "lovelace"),
    ("Müller", "mueller"), (#"O\"Neil"#, "oneil"), (#"D\u2019Angelo"#, "dangelo"), ("Silva", "silva"),
    (#"Smith \\ Jones"#, "smithjones"), ("Turing", "turing"),
  ]
  private static let fractions: [StaticString] = [".25", ".5", ".75"]
  private static let interests: [StaticString] = [
    "old bridges", "sailing boats", "mathematics", "night trains", "mountain birds", "tape recorders", "black tea",
    "river maps",
  ]
  private static let habits: [StaticString] = [
    "walks to work", "bakes on Sundays", "plays the cello", "keeps bees", "repairs clocks", "grows tomatoes",
    "writes by hand", "sleeps until noon",
  ]
  private static let streets: [StaticString] = [
    "Main Street", "Oak Avenue", "Station Road", "Mill Lane", "Harbour View", "Cedar Court", "Church Street",
    "Lake Drive",
  ]
  private static let cities: [(name: StaticString, state: StaticString)] = [
    ("Springfield", "IL"), ("Portland", "OR"), ("Austin", "TX"), ("Madison", "WI"), ("Boulder", "CO"),
    ("Burlington", "VT"), ("Savannah", "GA"), ("Santa Fe", "NM"),
  ]
}

/// Steele, Lea and Flood's generator "SplitMix64" (OOPSLA 2014): a word of state, so that each id can have its own.
private struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// A number from 0 up to, not including, `bound`; the slight bias of the remainder does not matter here.
  mutating func below(_ bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }

  mutating func pick<Element>(_ list: [Element]) -> Element {
    list[below(list.count)]
  }
}
