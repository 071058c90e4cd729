import CRivals
import CTransport
import EntityClient
import Foundation

/// The program that `scripts/bench` runs; its `--help` has the options.
@main
struct Bench {
  static let groups = [parseGroup, decodeGroup, ingestGroup, fetchGroup, contextGroup, outboxGroup, transportGroup]

  static func main() {
    // The server of the group `transport` is this program, too.
    if CommandLine.arguments.dropFirst() == ["--serve"] { exit(transport_serve()) }
    do {
      try Options(CommandLine.arguments.dropFirst()).run()
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }
}

struct Options {
  private var names: [String] = []
  /// Whether a name means the one case that has it, and no case that begins with it.
  private var isExact = false
  /// The rivals that run; all when there are none.
  private var rivals: [String] = []
  private var json: String?
  private var rounds = 9
  private var scale = Scale(factor: 1)
  private var lists = false
  private var once: String?
  private var streamed: StreamedIngest?

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw ContestError(description: "\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--rival": rivals.append(try value(of: argument))
      case "--json": json = try value(of: argument)
      case "--rounds":
        guard let count = Int(try value(of: argument)), count > 0 else {
          throw ContestError(description: "--rounds takes a number above 0")
        }
        rounds = count
      case "--scale":
        guard let factor = Double(try value(of: argument)), factor > 0, factor <= 10 else {
          throw ContestError(description: "--scale takes a number above 0, up to 10")
        }
        scale = Scale(factor: factor)
      case "--exact": isExact = true
      case "--list": lists = true
      // For --instructions of scripts/bench: a contestant's work alone, in a process of its own.
      case "--once": once = try value(of: argument)
      case "--stream", "--stream-atomically":
        guard let count = Int(try value(of: argument)), count > 0 else {
          throw ContestError(description: "\(argument) takes a number above 0")
        }
        streamed = StreamedIngest(count: count, argument == "--stream" ? .groups() : .atomically)
      case _ where argument.hasPrefix("-"):
        throw ContestError(description: "there is no option \(argument); see scripts/bench --help")
      default: names.append(argument)
      }
    }
  }

  func run() throws {
    if let streamed { return try streamed.run() }
    let chosen = Bench.groups.flatMap(\.contests).filter { contest in
      names.isEmpty || names.contains { contest.name == $0 || (!isExact && contest.name.hasPrefix($0 + ".")) }
    }
    guard !chosen.isEmpty else { throw ContestError(description: "no case has this name; see scripts/bench --list") }
    if lists {
      chosen.forEach { print($0.name) }
    } else if let once {
      try runOnce(once, in: try chosen[0].make(scale))
    } else {
      try measure(chosen)
    }
  }

  private func measure(_ contests: [(name: String, make: @Sendable (Scale) throws -> Contest)]) throws {
    var output: FileHandle?
    if let json {
      guard FileManager.default.createFile(atPath: json, contents: nil), let file = FileHandle(forWritingAtPath: json)
      else { throw ContestError(description: "\(json) can't be written") }
      output = file
    }
    let decoded = try onMain { try DecodingCheck.run() }
    print("GRDB reads \(decoded) values of each type as the objects have them")
    print("simdjson runs as \(String(cString: simdjson_reader_implementation()))")
    print(Report.heading)
    for contest in contests {
      var made = try contest.make(scale)
      if !rivals.isEmpty { made.rivals.removeAll { !rivals.contains($0.name) } }
      // In `ingest.file.cold` none is called `declared`.
      guard !made.rivals.isEmpty else { continue }
      let outcome = try Measurement.measure(made, rounds: rounds)
      print(Report.table(outcome))
      fflush(nil)
      try output?.write(contentsOf: Data((Report.lines(outcome).joined(separator: "\n") + "\n").utf8))
    }
    try output?.close()
  }

  /// The contestant's work alone between the marks; without a name that fits, the names are shown.
  private func runOnce(_ name: String, in contest: Contest) throws {
    guard let contestant = contest.contestants.first(where: { $0.name == name }) else {
      print(contest.contestants.map(\.name).joined(separator: "\n"))
      return
    }
    // Work that is done once only, such as choosing an implementation, belongs to no case.
    try contestant.prepare()
    try contestant.run()
    try contestant.prepare()
    instructions_begin()
    try contestant.run()
    // The work of other threads after a commit counts as well, and nothing tells its end: the time covers it.
    Thread.sleep(forTimeInterval: 0.2)
    instructions_end()
    print("bytes \(contest.size)\noperations \(contest.operations ?? 0)")
  }
}
