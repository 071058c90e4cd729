import EntityRequests
import Foundation

/// Takes known secrets out of texts, in any encoding.
///
/// The mask searches the text as it is, and with its percent-encoding and its escapes of JSON or XML undone, also where
/// these are nested. A secret is taken out at its place in the original text. Base64 is not undone: the mask searches
/// for the base64 of the secret, with any bytes before and after it.
struct SecretMask {
  private struct Pattern: Hashable {
    let bytes: [UInt8]
    /// The number of characters on each side that also have bits of the secret.
    var before = 0
    var behind = 0
    var isBase64 = false
  }

  private let patterns: [Pattern]

  init(_ secrets: Set<String> = []) {
    var patterns: Set<Pattern> = []
    for secret in secrets {
      patterns.insert(Pattern(bytes: Array(secret.utf8)))
      let escaped = String(decoding: JSONEncoder.escaped(secret), as: UTF8.self)
      for text in Set([secret, escaped, PercentEncoding.component(secret)]) { patterns.formUnion(Self.base64(text)) }
    }
    self.patterns = Array(patterns)
  }

  /// The parts of base64 (RFC 4648 §4, §5) for a text, for each place where the text may begin in the encoded bytes.
  private static func base64(_ text: String) -> [Pattern] {
    (0..<3).flatMap { offset -> [Pattern] in
      let bits = (offset * 8, (offset + text.utf8.count) * 8)
      let (start, end) = ((bits.0 + 5) / 6, bits.1 / 6)
      let encoded = Array((Data(repeating: 0, count: offset) + Data(text.utf8)).base64EncodedString().utf8)
      let core = Array(encoded[start..<end])
      let ofURLs = core.map {
        $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
      }
      return Set([core, ofURLs]).map {
        Pattern(
          bytes: $0, before: bits.0.isMultiple(of: 6) ? 0 : 1, behind: bits.1.isMultiple(of: 6) ? 0 : 1, isBase64: true)
      }
    }
  }

  func masked(_ text: String) -> String {
    masked(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  func masked(_ data: Data) -> Data { masked(Array(data)).map { Data($0) } ?? data }

  /// - Returns: `nil` for bytes without a secret.
  private func masked(_ bytes: [UInt8]) -> [UInt8]? {
    guard !patterns.isEmpty, bytes.count >= RedactionPass.shortest else { return nil }
    let found = DecodedView.all(of: bytes).flatMap(places).sorted { $0.lowerBound < $1.lowerBound }
    guard !found.isEmpty else { return nil }
    var result: [UInt8] = []
    var end = 0
    for place in found {
      // A secret may begin within another one: then one mark stands for both.
      if place.lowerBound >= end { result += bytes[end..<place.lowerBound] + Array(RedactionPass.mark.utf8) }
      end = max(end, place.upperBound)
    }
    return result + bytes[end...]
  }

  /// The places of the secrets in the view's original text.
  private func places(in view: DecodedView) -> [Range<Int>] {
    view.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return [] }
      return patterns.flatMap { pattern -> [Range<Int>] in
        var found: [Range<Int>] = []
        var start = 0
        while let first = pattern.bytes.first, start + pattern.bytes.count <= bytes.count,
          let place = memchr(base + start, Int32(first), bytes.count - start - pattern.bytes.count + 1)
        {
          var from = UnsafeRawPointer(place) - base
          var to = from + pattern.bytes.count
          start = from + 1
          guard memcmp(place, pattern.bytes, pattern.bytes.count) == 0 else { continue }
          if pattern.before > 0, from > 0, Self.isBase64(bytes[from - 1]) { from -= 1 }
          if pattern.behind > 0, to < bytes.count, Self.isBase64(bytes[to]) { to += 1 }
          while pattern.isBase64, to < bytes.count, bytes[to] == UInt8(ascii: "=") { to += 1 }
          found.append(view.places[from]..<view.places[to])
        }
        return found
      }
    }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension JSONEncoder {
  /// The JSON of a text, between the quotes.
  fileprivate static func escaped(_ text: String) -> ArraySlice<UInt8> {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? Array(encoder.encode(text)))?.dropFirst().dropLast() ?? []
  }
}
