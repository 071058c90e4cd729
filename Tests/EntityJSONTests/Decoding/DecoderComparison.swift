import EntityJSON
import Foundation
import Testing

/// The result of decoding: the value, or the error as far as callers tell errors apart.
struct Outcome<T> {
  var value: T?
  var error = ""

  init(_ decode: () throws -> T) {
    do {
      value = try decode()
    } catch let error as DecodingError {
      self.error = describe(error)
    } catch {
      self.error = "\(error)"
    }
  }
}

/// Case, type and coding path of an error; not its text.
func describe(_ error: DecodingError) -> String {
  func path(_ context: DecodingError.Context) -> String { context.codingPath.map(describe).joined(separator: "/") }
  return switch error {
  case .typeMismatch(let type, let context): "typeMismatch \(type) at \(path(context))"
  case .valueNotFound(let type, let context): "valueNotFound \(type) at \(path(context))"
  case .keyNotFound(let key, let context): "keyNotFound \(describe(key)) at \(path(context))"
  case .dataCorrupted(let context): "dataCorrupted at \(path(context))"
  @unknown default: "\(error)"
  }
}

func describe(_ key: any CodingKey) -> String { key.stringValue + (key.intValue.map { "(\($0))" } ?? "") }

/// The same strategies for both decoders.
struct Strategies: Sendable {
  var date: JSONValueDecoder.DateDecodingStrategy = .deferredToDate
  var data: JSONValueDecoder.DataDecodingStrategy = .base64
  var float: JSONValueDecoder.NonConformingFloatDecodingStrategy = .throw
  var keys: JSONValueDecoder.KeyDecodingStrategy = .useDefaultKeys
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  var ours: JSONValueDecoder {
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = date
    decoder.dataDecodingStrategy = data
    decoder.nonConformingFloatDecodingStrategy = float
    decoder.keyDecodingStrategy = keys
    decoder.userInfo = userInfo
    return decoder
  }

  var foundations: JSONDecoder {
    let decoder = JSONDecoder()
    switch date {
    case .deferredToDate: decoder.dateDecodingStrategy = .deferredToDate
    case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
    case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
    case .iso8601, .iso8601OrSeconds: decoder.dateDecodingStrategy = .iso8601
    case .formatted(let formatter): decoder.dateDecodingStrategy = .formatted(formatter)
    case .custom(let read): decoder.dateDecodingStrategy = .custom(read)
    }
    switch data {
    case .deferredToData: decoder.dataDecodingStrategy = .deferredToData
    case .base64: decoder.dataDecodingStrategy = .base64
    case .custom(let read): decoder.dataDecodingStrategy = .custom(read)
    }
    switch float {
    case .throw: decoder.nonConformingFloatDecodingStrategy = .throw
    case .convertFromString(let positive, let negative, let nan):
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: positive, negativeInfinity: negative, nan: nan)
    }
    switch keys {
    case .useDefaultKeys: decoder.keyDecodingStrategy = .useDefaultKeys
    case .convertFromSnakeCase: decoder.keyDecodingStrategy = .convertFromSnakeCase
    case .custom(let convert): decoder.keyDecodingStrategy = .custom(convert)
    }
    decoder.userInfo = userInfo
    return decoder
  }
}

/// Holds both decoders against each other: on each text the same value, or an error of the same case, type and path.
///
/// - Parameter differing: texts on which they are known to differ; another test says how.
func expectLikeFoundation<T: Decodable & Equatable>(
  _ type: T.Type, _ texts: [String], _ strategies: Strategies = Strategies(), differing: Set<String> = [],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let (ours, foundations) = (strategies.ours, strategies.foundations)
  for text in texts {
    let data = Data(text.utf8)
    let mine = Outcome { try ours.decode(type, from: data) }
    let its = Outcome { try foundations.decode(type, from: data) }
    // Foundation does not say where a number is that does not fit.
    let isSameError =
      mine.error == its.error || its.error == "dataCorrupted at " && mine.error.hasPrefix(its.error)
    // NaN does not equal itself, and 0 equals -0.
    let isFloat = T.self is any BinaryFloatingPoint.Type
    let areAlike = (isFloat || mine.value != its.value) && "\(mine.value as Any)" == "\(its.value as Any)"
    let isSame = isSameError && (areAlike || !isFloat && mine.value == its.value)
    if differing.contains(text) {
      #expect(!isSame, "\(type) of \(text) is no difference any more", sourceLocation: sourceLocation)
    } else if !isSame {
      Issue.record(
        """
        \(type) of \(text.prefix(200)): \(mine.value.map { "\($0)" } ?? mine.error), and Foundation \
        \(its.value.map { "\($0)" } ?? its.error)
        """, sourceLocation: sourceLocation)
    }
  }
}
