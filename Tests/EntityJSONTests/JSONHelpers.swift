import EntityJSON
import Foundation

func parse(_ text: String, limits: JSONLimits = .standard) throws(JSONError) -> JSONValue {
  try JSONValue(parsing: Data(text.utf8), limits: limits)
}

func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue { try JSONValue(parsing: Data(bytes)) }

/// The error that a text is refused with; nil when it is accepted.
func refusal(_ bytes: [UInt8], limits: JSONLimits = .standard) -> JSONError? {
  do throws(JSONError) {
    _ = try JSONValue(parsing: Data(bytes), limits: limits)
    return nil
  } catch { return error }
}

func refusal(_ text: String, limits: JSONLimits = .standard) -> JSONError? { refusal(Array(text.utf8), limits: limits) }

/// Every construct of the grammar, in a text short enough to cut at each byte.
let richDocument = """
  {"users": [{"id": 9007199254740993, "name": "Zoë \\u00e9\\uD83D\\uDE00 \\"q\\" \\\\ \\/ \\b\\f\\n\\r\\t",
  "score": -12.5e+3, "tiny": 1E-7, "zero": -0, "ok": true, "no": false, "none": null, "tags": ["a", "", "日本語", "😀"],
  "address": {"city": "Łódź", "geo": {"lat": 51.75, "lng": 19.46}}, "empty": {}, "list": [ ]},
  [[[[]]], [1, [2, [3]]]]], "a long key, longer than eight bytes": "a long value, longer than sixteen bytes",
  "a.b": 1}

  """
