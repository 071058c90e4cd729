import Foundation

/// A value with all parts that Codable types are made of.
struct Mixed: Codable, Equatable {
  enum Choice: Codable, Equatable {
    case none
    case one(Int)
    case named(first: String, second: Double?)
    indirect case nested(Mixed)
  }

  enum Word: String, Codable, CodingKeyRepresentable { case first, second = "sécond", third = "th/ird" }

  var name: String
  var flag: Bool?
  var numbers: [Double]
  var small: Int8
  var large: UInt64
  var float: Float?
  var price: Decimal
  var at: Date
  var data: Data?
  var id: UUID
  var url: URL?
  var words: [String: [String?]]
  var byNumber: [Int: Word]
  var byWord: [Word: Int]
  var choice: Choice
  var nestedOptional: [Int??]
  var children: [Mixed]

  static func random(_ generator: inout some RandomNumberGenerator, depth: Int) -> Mixed {
    func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    func list<T>(_ limit: Int, _ element: () -> T) -> [T] { (0..<below(limit)).map { _ in element() } }
    func text() -> String {
      String(
        String.UnicodeScalarView(
          list(8) {
            let scalars: [Unicode.Scalar] = [
              "a", "B", "_", "/", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "日", "😀", "\u{2028}",
            ]
            return scalars[below(scalars.count)]
          }))
    }
    func double() -> Double {
      switch below(4) {
      case 0: Double(below(1000))
      case 1: -Double(below(1000)) / 8
      case 2: Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))
      default: 0
      }
    }
    let choice: Choice =
      switch below(4) {
      case 0: .none
      case 1: .one(below(100) - 50)
      case 2: .named(first: text(), second: below(2) == 0 ? nil : double())
      default: depth > 0 ? .nested(random(&generator, depth: depth - 1)) : .none
      }
    let words: [Word] = [.first, .second, .third]
    return Mixed(
      name: text(), flag: [nil, true, false][below(3)], numbers: list(4, double),
      small: Int8(truncatingIfNeeded: below(256)), large: below(2) == 0 ? .max : UInt64(below(1000)),
      float: below(2) == 0 ? nil : Float(below(1000)) / 7,
      price: Decimal(
        sign: below(2) == 0 ? .plus : .minus, exponent: below(20) - 10, significand: Decimal(below(1 << 40))),
      at: Date(timeIntervalSince1970: below(8) == 0 ? 1e12 : Double(below(1 << 31)) + Double(below(1000)) / 1000),
      data: below(2) == 0 ? nil : Data(list(5) { UInt8(below(256)) }), id: UUID(),
      url: below(2) == 0 ? nil : URL(string: "https://h.example/\(below(100))?q=a%20b"),
      words: Dictionary(list(4) { (text(), list(3) { below(2) == 0 ? nil : text() }) }) { $1 },
      byNumber: Dictionary(list(4) { (below(2000) - 1000, words[below(3)]) }) { $1 },
      byWord: Dictionary(list(3) { (words[below(3)], below(10)) }) { $1 }, choice: choice,
      nestedOptional: list(3) { below(2) == 0 ? nil : .some(.some(below(10))) },
      children: depth > 0 ? list(3) { random(&generator, depth: depth - 1) } : [])
  }
}
