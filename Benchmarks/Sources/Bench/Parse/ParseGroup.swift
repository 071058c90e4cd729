import Foundation

/// A whole text to something whose values can be asked for. `parse.numbers` is easy for ours, which keeps the digits
/// until a number is asked for; `read` cases ask for every value, so nobody can put work off.
let parseGroup = Group(
  name: "parse",
  contests: [
    ("parse.users.compact", { users("parse.users.compact", StandardUsers.json(count: $0(100_000))) }),
    ("parse.users.pretty", { users("parse.users.pretty", StandardUsers.json(count: $0(100_000)).indented(by: 2)) }),
    ("parse.users.pretty4", { users("parse.users.pretty4", StandardUsers.json(count: $0(100_000)).indented(by: 4)) }),
    ("parse.strings", { strings("parse.strings", Texts.strings(bytes: $0(33_000_000), nonASCII: false)) }),
    ("parse.strings.utf8", { strings("parse.strings.utf8", Texts.strings(bytes: $0(33_000_000), nonASCII: true)) }),
    ("parse.strings.escapes", { strings("parse.strings.escapes", Texts.escapes(bytes: $0(33_000_000))) }),
    ("parse.numbers", { parse("parse.numbers", Texts.numbers(count: $0(2_100_000)), as: [Double].self) }),
    ("parse.deep", { parse("parse.deep", Texts.deep(count: $0(3_000)), as: [Deep].self) }),
    ("parse.deep.arrays", { deepArrays("parse.deep.arrays", Texts.arrays(count: $0(6_000))) }),
    ("parse.small", { parse("parse.small", Texts.small(count: $0(900_000)), as: [Small].self) }),
    ("parse.users.read", { read("parse.users.read", StandardUsers.json(count: $0(100_000))) }),
    ("parse.numbers.read", { read("parse.numbers.read", Texts.numbers(count: $0(2_100_000))) }),
  ])

/// A whole text to a `Decodable` type.
let decodeGroup = Group(
  name: "decode",
  contests: [
    ("decode.users", { decode("decode.users", StandardUsers.json(count: $0(100_000)), as: [User].self) }),
    (
      "decode.strings",
      { decode("decode.strings", Texts.strings(bytes: $0(33_000_000), nonASCII: true), as: [String].self) }
    ),
    ("decode.numbers", { decode("decode.numbers", Texts.numbers(count: $0(2_100_000)), as: [Double].self) }),
    ("decode.deep", { decode("decode.deep", Texts.deep(count: $0(300)), as: [Deep].self) }),
    ("decode.small", { decode("decode.small", Texts.small(count: $0(900_000)), as: [Small].self) }),
  ])

private func users(_ name: String, _ json: [UInt8]) -> Contest { parse(name, json, as: [User].self) }

private func strings(_ name: String, _ json: [UInt8]) -> Contest { parse(name, json, as: [String].self) }

private func parse<T: Decodable & Digestible>(_ name: String, _ json: [UInt8], as type: T.Type) -> Contest {
  let data = Data(json)
  return Contest(
    name: name, size: json.count, ours: .entityRequests(data),
    rivals: simdjson(json) + [.jsonDecoder(data, as: type), .jsonSerialization(data)])
}

/// Without Foundation's readers, which need gigabytes for such a text.
private func deepArrays(_ name: String, _ json: [UInt8]) -> Contest {
  Contest(name: name, size: json.count, ours: .entityRequests(Data(json)), rivals: simdjson(json))
}

private func decode<T: Decodable & Digestible>(_ name: String, _ json: [UInt8], as type: T.Type) -> Contest {
  let data = Data(json)
  return Contest(
    name: name, size: json.count, ours: .responseDecoder(data, as: type), rivals: [.jsonDecoder(data, as: type)])
}

/// Parsing and then asking for every value once, through the digest.
private func read(_ name: String, _ json: [UInt8]) -> Contest {
  let ours = Contestant.entityRequests(Data(json))
  return Contest(name: name, size: json.count, ours: ours.reading, rivals: simdjson(json).map(\.reading))
}

private func simdjson(_ json: [UInt8]) -> [Contestant] {
  [true, false].flatMap { reused in
    [true, false].map { padded in .simdjson(json, reused: reused, padded: padded) }
  }
}

extension Contestant {
  fileprivate var reading: Contestant {
    let digest = digest
    return Contestant(name: name, run: { consume(try digest()) }, digest: digest)
  }
}
