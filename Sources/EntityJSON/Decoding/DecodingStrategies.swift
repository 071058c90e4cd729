public import Foundation

// The cases are those of Foundation's decoder, and mean the same.

extension JSONValueDecoder {
  /// How a `Date` is read.
  public enum DateDecodingStrategy: Sendable {
    /// As `Date` itself does: seconds since 2001.
    case deferredToDate
    case secondsSince1970
    case millisecondsSince1970
    /// ISO 8601 in the form of RFC 3339, with a fraction of the second or without one.
    case iso8601
    /// Any form of ISO 8601 that the store reads, or a number of seconds since 1970.
    case iso8601OrSeconds
    case formatted(DateFormatter)
    case custom(@Sendable (any Decoder) throws -> Date)
  }

  /// How `Data` is read.
  public enum DataDecodingStrategy: Sendable {
    /// As `Data` itself does: an array of bytes.
    case deferredToData
    /// RFC 4648 §4.
    case base64
    case custom(@Sendable (any Decoder) throws -> Data)
  }

  /// How texts for NaN and the infinities, which JSON numbers can't express, are read as a floating-point type.
  public enum NonConformingFloatDecodingStrategy: Sendable {
    case `throw`
    case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// How the keys of objects become the keys of a type.
  public enum KeyDecodingStrategy: Sendable {
    case useDefaultKeys
    /// `created_at` is `createdAt`.
    case convertFromSnakeCase
    /// - Parameter path: The keys that lead to the object, with its own key at the end.
    case custom(@Sendable (_ path: [any CodingKey]) -> any CodingKey)
  }
}
