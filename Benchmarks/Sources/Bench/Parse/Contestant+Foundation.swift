import EntityJSON
import Foundation

extension Contestant {
  static func jsonDecoder<T: Decodable & Digestible>(_ data: Data, as type: T.Type) -> Contestant {
    Contestant(
      name: "JSONDecoder",
      run: { consume(try JSONDecoder().decode(type, from: data)) },
      digest: { try JSONDecoder().decode(type, from: data).digest })
  }

  /// Compared with ours value by value: on Linux it makes doubles through Decimal, and one in four differs in its last
  /// bits, so that a digest of its own would differ.
  static func jsonSerialization(_ data: Data) -> Contestant {
    Contestant(
      name: "JSONSerialization",
      run: { consume(try JSONSerialization.jsonObject(with: data)) },
      digest: {
        guard agrees(try JSONSerialization.jsonObject(with: data), try JSONValue(parsing: data)) else { return 0 }
        return try entityRequests(data).digest()
      })
  }

  private static func agrees(_ its: Any, _ ours: JSONValue) -> Bool {
    switch (ours.kind, its) {
    case (.null, is NSNull): return true
    case (.string, let its as String): return ours.string.map { Array($0.utf8) == Array(its.utf8) } ?? false
    case (.bool, let its as NSNumber): return isBool(its) && ours.bool == its.boolValue
    case (.number, let its as NSNumber):
      guard !isBool(its), let double = ours.double else { return false }
      return (its.doubleValue - double).magnitude <= double.magnitude * 1e-14
    case (.array, let its as [Any]):
      guard let ours = ours.array, ours.count == its.count else { return false }
      return zip(its, ours).allSatisfy(agrees)
    case (.object, let its as [String: Any]):
      guard let ours = ours.object, ours.count == its.count else { return false }
      return ours.allSatisfy { field in its[field.key].map { agrees($0, field.value) } ?? false }
    default: return false
    }
  }

  private static func isBool(_ number: NSNumber) -> Bool {
    [UInt8(ascii: "c"), UInt8(ascii: "B")].contains(UInt8(bitPattern: number.objCType.pointee))
  }
}
