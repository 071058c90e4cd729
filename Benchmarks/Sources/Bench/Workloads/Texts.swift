/// Inputs that are hard in one way each.
enum Texts {
  /// Strings of one to eight kilobytes, with a line break about every 500 bytes.
  static func strings(bytes size: Int, nonASCII: Bool) -> [UInt8] {
    let words =
      nonASCII
      ? ["привет", "мир", "日本語", "文字列", "naïve", "Ünïcödé", "🙂", "ελληνικά", "and", "한국어", "👩‍👩‍👧"]
      : ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit", "sed", "do"]
    var random = SplitMix(seed: 2)
    return .array(count: size / 4500 + 1) { _, bytes in
      bytes.append(UInt8(ascii: "\""))
      let end = bytes.count + Int.random(in: 1000...8000, using: &random)
      var line = bytes.count
      while bytes.count < end {
        bytes.add(words[Int.random(in: 0..<words.count, using: &random)])
        if bytes.count - line > 500 {
          bytes.add("\\n")
          line = bytes.count
        } else {
          bytes.append(UInt8(ascii: " "))
        }
      }
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Integers of all lengths and doubles with up to 17 digits, half and half.
  static func numbers(count: Int) -> [UInt8] {
    var random = SplitMix(seed: 3)
    return .array(count: count) { index, bytes in
      if index % 2 == 0 {
        bytes.add("\(Int64(bitPattern: random.next()) >> Int64.random(in: 11...60, using: &random))")
      } else if index % 4 == 1 {
        bytes.add("\(Double.random(in: -1000...1000, using: &random))")
      } else {
        bytes.add("\(Double.random(in: 1...10, using: &random))e\(Int.random(in: -30...30, using: &random))")
      }
    }
  }

  /// Arrays and objects by turns, one in the other, 500 levels to each element. Foundation's readers need a thousand
  /// bytes for each byte of it.
  static func deep(count: Int) -> [UInt8] {
    .array(count: count) { index, bytes in
      for _ in 0..<250 { bytes.add("[{\"a\":") }
      bytes.add("\(index)")
      for _ in 0..<250 { bytes.add("}]") }
    }
  }

  /// Nothing but arrays, 500 levels to each element.
  static func arrays(count: Int) -> [UInt8] {
    .array(count: count) { index, bytes in
      for _ in 0..<500 { bytes.append(UInt8(ascii: "[")) }
      bytes.add("\(index)")
      for _ in 0..<500 { bytes.append(UInt8(ascii: "]")) }
    }
  }

  /// Strings of all kinds of escapes with little between them.
  static func escapes(bytes size: Int) -> [UInt8] {
    let parts = [
      #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\t"#, #"\u00e9"#, #"\ud83d\ude00"#, "word", "a", "longer plain text",
      #"\u4e2d\u6587"#,
    ]
    var random = SplitMix(seed: 5)
    return .array(count: size / 210 + 1) { _, bytes in
      bytes.append(UInt8(ascii: "\""))
      let end = bytes.count + Int.random(in: 20...400, using: &random)
      while bytes.count < end { bytes.add(parts[Int.random(in: 0..<parts.count, using: &random)]) }
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Objects of a few bytes each.
  static func small(count: Int) -> [UInt8] {
    .array(count: count) { index, bytes in
      bytes.add("{\"id\":\(index),\"on\":\(index % 3 == 0),\"n\":\"x\(index % 100)\"}")
    }
  }
}

/// One level of `Texts.deep` is an array of one object.
enum Deep: Decodable, Digestible {
  struct Level: Decodable {
    let a: Deep
  }

  case number(Double)
  indirect case levels([Level])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let levels = try? container.decode([Level].self) {
      self = .levels(levels)
    } else {
      self = .number(try container.decode(Double.self))
    }
  }

  var digest: UInt64 {
    switch self {
    case .number(let value): value.digest
    case .levels(let levels): Digest.array(levels.map { Digest.object([("a", $0.a.digest)]) })
    }
  }
}

struct Small: Decodable, Digestible {
  let id: Int
  let on: Bool
  let n: String

  var digest: UInt64 {
    Digest.object([("id", Digest.int(Int64(id))), ("on", Digest.bool(on)), ("n", n.digest)])
  }
}
