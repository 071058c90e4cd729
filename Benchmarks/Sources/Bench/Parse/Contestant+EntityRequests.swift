import EntityJSON
import Foundation

extension Contestant {
  static func entityRequests(_ data: Data) -> Contestant {
    Contestant(
      name: "ours",
      run: { consume(try JSONValue(parsing: data)) },
      digest: { digest(of: try JSONValue(parsing: data)) })
  }

  static func responseDecoder<T: Decodable & Digestible>(_ data: Data, as type: T.Type) -> Contestant {
    Contestant(
      name: "ours",
      run: { consume(try JSONValueDecoder().decode(type, from: data)) },
      digest: { try JSONValueDecoder().decode(type, from: data).digest })
  }

  private static func digest(of value: JSONValue) -> UInt64 {
    switch value.kind {
    case .null: return Digest.null
    case .bool: return Digest.bool(value.bool ?? false)
    case .number:
      let double = value.double ?? .nan
      // Only a whole number beyond this needs a second look, and the others' integers have no point and no exponent.
      guard double.magnitude > 9_007_199_254_740_992, value.lexeme?.contains(where: { ".eE".contains($0) }) == false
      else { return Digest.double(double) }
      return value.int64.map(Digest.int) ?? value.uint64.map(Digest.uint) ?? Digest.double(double)
    case .string: return Digest.string(value.string ?? "")
    case .array:
      // A lazy sequence that could also be an empty array would become an array.
      guard let array = value.array else { return 0 }
      return Digest.array(array.lazy.map { digest(of: $0) })
    case .object:
      guard let object = value.object else { return 0 }
      return Digest.object(object.lazy.map { (key: $0.key, digest: digest(of: $0.value)) })
    }
  }
}
