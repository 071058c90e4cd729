import Foundation

/// One request of the storm: its answer by the server, its reader, and its end.
struct Demand: Sendable {
  /// The first word of the path, by which the server chooses its answer.
  enum Kind: String, CaseIterable, Sendable {
    // Good answers.
    case ok, put, post, chunks, gzip, slow, late, leaves
    // Refusals, and a redirect.
    case busy, moved
    // Bodies that are not whole, and none at all.
    case cut, cutchunks, cutgzip, hangup, reset, resetbody, silent
  }

  /// The way in which the response is read.
  enum Reading: Sendable {
    case whole, pieces
    /// Its reader drops the response after the first piece.
    case dropped
  }

  enum Expectation: Sendable, Equatable {
    case answer, failure
    /// A server that closes a kept connection may do so while a request is on its way. A client can't know whether such a
    /// request was acted on, so one that may not be sent twice (RFC 9110 §9.2.2) ends with an error.
    case answerOrLostConnection
    case status(Int)
  }

  let kind: Kind
  /// The number that the answer must have in it.
  let number: Int
  let size: Int
  let reading: Reading
  /// The time after which the task is cancelled; `nil` for never.
  let patience: Duration?

  /// - Parameter shared: The number of a request that several make at the same time.
  init(number: Int, shared: Int, using generator: inout some RandomNumberGenerator) {
    // Half of all are plain answers; the others are equally likely.
    kind = Bool.random(using: &generator) ? .ok : Kind.allCases.randomElement(using: &generator) ?? .ok
    // Equal requests, for the decorator that sends them once.
    self.number = kind == .ok && Int.random(in: 0..<8, using: &generator) == 0 ? shared : number
    size = [20, 300, 5_000, 70_000].randomElement(using: &generator) ?? 20
    let turn = Int.random(in: 0..<8, using: &generator)
    reading = turn == 0 ? .dropped : turn < 3 ? .pieces : .whole
    let isCancelled = Int.random(in: 0..<8, using: &generator) == 0
    patience = isCancelled ? .milliseconds(Int.random(in: 0..<200, using: &generator)) : nil
  }

  var path: String { "\(kind.rawValue)/\(number)/\(size)" }

  /// The body of a good answer.
  var body: Data {
    let word = Data("\(number),".utf8)
    var body = Data(capacity: size + word.count)
    while body.count < size { body.append(word) }
    return body.prefix(size)
  }

  /// - Parameter isChained: Whether the adapter has its decorators, which follow redirects.
  func expectation(isChained: Bool) -> Expectation {
    switch kind {
    case .ok, .put, .chunks, .gzip, .slow, .late, .leaves: .answer
    case .post: .answerOrLostConnection
    case .busy: .status(503)
    case .moved: isChained ? .answer : .status(302)
    case .cut, .cutchunks, .cutgzip, .hangup, .reset, .resetbody, .silent: .failure
    }
  }
}

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014): a seed makes a run's requests
/// repeatable.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
