import EntityTesting

/// Where the adapters of the package are known to differ from the cases of the suite. The table on the page *Faults of
/// transports* is made from them.
enum AdapterDifferences {
  static let cases = ConformanceCase.all + ConformanceCase.streaming + ConformanceCase.hostile

  static let curl: [ConformanceDifference] = []

  static let chain =
    [
      "a redirect is a response, and is not followed", "redirects of every kind are responses, wherever they lead",
    ].map {
      ConformanceDifference($0, because: "It follows redirects, and throws where one can't be followed.")
    }
    + [
      "every status is a response, and nothing is sent again",
      "how long a server wants to be left alone is the caller's to read",
    ].map {
      ConformanceDifference($0, because: "It sends a GET again after a status that passes.")
    }

  static let recording =
    [
      "the head of a stream comes before its body, and the body piece by piece",
      "a stream that nobody reads any more ends its connection",
    ].map {
      ConformanceDifference($0, because: "It records a whole response before it hands one over.", .notRun)
    }
    + [
      ConformanceDifference(
        "a task that is cancelled while its body is sent ends its connection",
        because: "It records a whole body before it sends one.", .notRun)
    ]

  /// Each adapter that the package runs the suite over, with its name in the table.
  static let table = ConformanceCase.table(
    cases,
    of: [
      "`CurlAdapter`": curl, "`modifying`, `FaultAdapter`": curl, "`standard()`": chain,
      "`RecordingAdapter` that records": recording,
    ])
}
