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

  /// `URLSession` sends no body while it is read.
  static let collecting = [
    ConformanceDifference(
      "a task that is cancelled while its body is sent ends its connection",
      because: "It reads a whole body before it sends one.", .notRun)
  ]

  /// Foundation's client on Linux; its article tells of each.
  static let session =
    [
      ConformanceDifference(
        "method, path and query are sent as they are written", because: "It refuses a path with dots."),
      ConformanceDifference(
        "every status is a response, and nothing is sent again",
        because: "The body of a redirect without a target is lost."),
      ConformanceDifference(
        "header fields of one name stay several, and cookies are not kept",
        because: "Of two fields whose names differ in capitals, one is lost."),
      ConformanceDifference(
        "a body in chunks is put together", because: "Trailer fields stop the process.", .notRun),
      ConformanceDifference(
        "a port that takes no connection processed nothing",
        because: "A timeout does not tell whether a connection was made."),
      ConformanceDifference(
        "a blank before the colon of a length or a coding hides no end of a body",
        because: "A `Transfer-Encoding` that is folded is passed over."),
      ConformanceDifference(
        "a header field needs no space behind its colon", because: "A field without that space is an error."),
    ] + collecting

  /// Each adapter that the package runs the suite over, with its name in the table.
  static let table = ConformanceCase.table(
    cases,
    of: [
      "`CurlAdapter`": curl, "`modifying`, `FaultAdapter`": curl, "`standard()`": chain,
      "`RecordingAdapter` that records": recording, "`URLSessionAdapter`": session,
    ])
}
