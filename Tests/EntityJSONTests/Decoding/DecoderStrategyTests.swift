import EntityJSON
import Foundation
import Testing

/// `JSONValueDecoder` held against `JSONDecoder`: the strategies for dates, data, numbers and keys.
@Suite struct DecoderStrategyTests {
  struct Event: Codable, Equatable {
    var at: Date
    var until: Date?
  }

  private static let dates = [
    "0", "-0", "1", "1.5", "-1e3", "1714564800", "1714564800123.456", "null", "true", "[]", "{}", #""""#, #""x""#,
    #""2024-05-01T12:00:00Z""#, #""2024-05-01T12:00:00+02:00""#, #""2024-05-01T12:00:00-0530""#,
    #""2024-02-30T12:00:00Z""#,
    #""2024-13-01T12:00:00Z""#, #""2024-05-01T25:00:00Z""#, #""2024-05-01""#, #""2024-05-01 12:00:00Z""#,
    #""2024-05-01T12:00:00""#,
    #""1969-12-31T23:59:59Z""#, #""0001-01-01T00:00:00Z""#, #""9999-12-31T23:59:59Z""#, #""01.05.2024""#,
    #""2024-05-01T12:00Z""#,
  ]

  private func hold(_ strategies: Strategies, differing: Set<String> = []) {
    func wrap(_ text: String) -> (String) -> String { { text.replacingOccurrences(of: "$", with: $0) } }
    expectLikeFoundation(Date.self, Self.dates, strategies, differing: differing)
    for (type, wrap) in [("[$]", wrap("[$]"))] where type == "[$]" {
      expectLikeFoundation([Date].self, Self.dates.map(wrap), strategies, differing: Set(differing.map(wrap)))
    }
    let field = wrap(#"{"until":$,"at":$}"#)
    expectLikeFoundation(Event.self, Self.dates.map(field) + ["{}"], strategies, differing: Set(differing.map(field)))
    let list = wrap(#"{"x":[$,$]}"#)
    expectLikeFoundation([String: [Date?]].self, Self.dates.map(list), strategies, differing: Set(differing.map(list)))
  }

  @Test func `dates are read as JSONDecoder reads them`() {
    hold(Strategies(date: .deferredToDate))
    hold(Strategies(date: .secondsSince1970))
    hold(Strategies(date: .millisecondsSince1970))
    // Foundation reads days and hours that do not exist, and has the Julian calendar before 1582.
    hold(
      Strategies(date: .iso8601),
      differing: [#""2024-02-30T12:00:00Z""#, #""2024-05-01T25:00:00Z""#, #""0001-01-01T00:00:00Z""#])
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "dd.MM.yyyy"
    hold(Strategies(date: .formatted(formatter)))
    hold(
      Strategies(
        date: .custom { decoder in
          let container = try decoder.singleValueContainer()
          guard container.decodeNil() == false else { return .distantPast }
          return Date(timeIntervalSince1970: Double(decoder.codingPath.count) + (try container.decode(Double.self)))
        }))
  }

  @Test func `ISO dates with a fraction are read`() throws {
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = .iso8601
    func seconds(_ text: String) -> Double? {
      try? decoder.decode(Date.self, from: Data("\"\(text)\"".utf8)).timeIntervalSince1970
    }
    #expect(seconds("1970-01-01T00:00:00.5Z") == 0.5)
    #expect(seconds("1970-01-01T00:00:01.250+00:00") == 1.25)
    #expect(seconds("1970-01-01T00:00:00Z") == 0)
    #expect(seconds("1970-01-01T00:00:00.Z") == nil)
    #expect(seconds("1970-01-01T00:00:00.5") == nil)
  }

  @Test func `data is read as JSONDecoder reads it`() {
    let texts = [
      #""""#, #""AQID""#, #""AQI=""#, #""AQI""#, #""A""#, #""A\/+=""#, #""AQ ID""#, "[1,2,255]", "[256]", "[]", "null",
      "1", "{}",
    ]
    struct Blob: Codable, Equatable { var data: Data? }
    func hold(_ strategies: Strategies) {
      expectLikeFoundation(Data.self, texts, strategies)
      expectLikeFoundation([Data].self, texts.map { "[\($0)]" }, strategies)
      expectLikeFoundation(Blob.self, texts.map { "{\"data\":\($0)}" }, strategies)
    }
    hold(Strategies(data: .base64))
    hold(Strategies(data: .deferredToData))
    hold(Strategies(data: .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }))
  }

  @Test func `numbers that JSON has not`() {
    let texts = [#""NaN""#, #""inf""#, #""-inf""#, #""""#, #""1""#, "1", "null", #""nan""#, "1e400"]
    for strategy: JSONValueDecoder.NonConformingFloatDecodingStrategy in [
      .throw, .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "NaN"),
    ] {
      let strategies = Strategies(float: strategy)
      expectLikeFoundation(Double.self, texts, strategies)
      expectLikeFoundation(Float.self, texts, strategies)
      expectLikeFoundation([Double].self, texts.dropLast().map { "[\($0)]" }, strategies)
      expectLikeFoundation([String: Float].self, texts.dropLast().map { "{\"k\":\($0)}" }, strategies)
      // The description of a Date that is no number traps in Foundation.
      expectLikeFoundation(Date.self, texts.filter { !$0.contains("NaN") }, strategies)
    }
  }

  // MARK: Keys

  struct Snake: Codable, Equatable {
    var oneTwo: Int?
    var three: Int?
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var _fourFive_: Int?
    var userID: Int?
    var userId: Int?
    var nested: Inner?
    struct Inner: Codable, Equatable { var deepKey: Int }
  }
  struct Keys: Decodable, Equatable {
    var keys: [String]
    init(from decoder: any Decoder) throws {
      keys = try decoder.container(keyedBy: DecoderStructureTests.AnyKey.self).allKeys.map(\.stringValue).sorted()
    }
  }

  @Test func `snake case`() {
    let keys = [
      "one_two", "oneTwo", "one__two", "ONE_TWO", "One_Two", "three", "_four_five_", "__four_five__", "_", "__", "",
      "a", "_a", "a_",
      "_a_", "user_id", "user_ID", "userID", "one_2_three", "é_è", "straße_über", "a_b_c_d", "x-y_z-w",
      "one two_three four", "ǆ_ǆ",
      "one_", "_one", "ABC", "_ABC_DEF", "a__b", "ﬁx_ﬁx", "o'neil_o'neil", "😀_😀", "i_İ",
    ]
    let strategies = Strategies(keys: .convertFromSnakeCase)
    expectLikeFoundation(Keys.self, keys.map { "{\"\($0)\":1}" }, strategies)
    expectLikeFoundation(Keys.self, ["{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"], strategies)
    expectLikeFoundation(
      Snake.self,
      keys.map { "{\"\($0)\":1}" } + [
        #"{"nested":{"deep_key":1}}"#, #"{"nested":{"deepkey":1}}"#, #"{"\u006fne_two":1}"#,
      ],
      strategies)
    // The keys of dictionaries are data.
    expectLikeFoundation([String: Int].self, keys.map { "{\"\($0)\":1}" }, strategies)
    expectLikeFoundation([String: Snake].self, keys.map { "{\"a_b\":{\"\($0)\":1}}" }, strategies)
    expectLikeFoundation([String: Int].self, [#"{"a_b":"x"}"#], strategies)
    expectLikeFoundation([Int: Int].self, [#"{"1_0":1}"#, #"{"10":1}"#], strategies)
    let many = (0..<100).map { "\"field_number\($0)\":1" }
    expectLikeFoundation(Keys.self, ["{" + many.joined(separator: ",") + "}"], strategies)
    expectLikeFoundation(Snake.self, ["{" + (many + [#""one_two":5"#]).joined(separator: ",") + "}"], strategies)
  }

  @Test func `keys converted by hand`() {
    let strategies = Strategies(
      keys: .custom { path in
        DecoderStructureTests.AnyKey(
          stringValue: (path.last?.stringValue ?? "").lowercased() + (path.count > 1 ? "Key" : ""))
      })
    expectLikeFoundation(Keys.self, [#"{"A":1,"b":2}"#, "{}"], strategies)
    expectLikeFoundation([Keys].self, [#"[{"A":1,"b":2},{"A":1,"b":2}]"#, "[{}]"], strategies)
    expectLikeFoundation(
      Snake.self, [#"{"THREE":1}"#, #"{"nested":{"DEEP":1}}"#, #"{"NESTED":{"DEEP":1}}"#], strategies)
    expectLikeFoundation([String: Int].self, [#"{"A":1}"#], strategies)
  }
}
