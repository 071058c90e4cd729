import EntityJSON
import EntityStore
import Foundation

/// A request whose list is taken into the store while it arrives: ``Streaming``.
///
/// In order: the head, ``BodyPieces``, `JSONElementReader`, ``StreamedGroups`` or a `SpoolFile`, and after the list
/// ``ResponseSettling``, which takes in the rest of the response.
struct StreamedExchange<E: RemoteEntity>: Sendable {
  let exchange: EntityExchange<E>
  let streaming: Streaming
  let sequence: RequestNumber

  private var options: ResponseOptions<E> { exchange.reading.options }

  @concurrent func run() async throws -> EntityReading<E>.Output {
    let reports = exchange.fetch.progress.map { TransferReports($0) }
    defer { reports?.end() }
    var pieces = BodyPieces(try await exchange.fetch.stream(reports?.handler))
    // A status other than 200 says something about the body: that it is an error, or a part.
    guard pieces.response.status == 200, exchange.fetch.bodies.format(of: pieces.response) == nil,
      let first = try await pieces.firstByte()
    else {
      // The limits of JSON are for a success only.
      let isSuccess = (200..<300).contains(pieces.response.status)
      let response = try await pieces.whole(atMost: isSuccess ? options.limits.bytes : .max)
      reports?.end()
      return whole(try await exchange.take(response, sequence))
    }
    return try await take(&pieces, isArray: first == UInt8(ascii: "["))
  }

  /// The result of a response that was taken in as a whole.
  private func whole(_ result: EntityReading<E>.Output) -> EntityReading<E>.Output {
    var result = result
    let counts = result.response.counts
    let elements = counts.inserted + counts.updated + counts.unchanged + counts.refused
    // A response without objects, such as a 304, commits nothing.
    let part = StreamedProgress(groups: elements > 0 ? 1 : 0, elements: elements, counts: counts)
    result.response.details.streamed = part
    if elements > 0 { streaming.committed?(part) }
    return result
  }

  /// - Parameter isArray: Whether the body is an array.
  private func take(_ pieces: inout BodyPieces, isArray: Bool) async throws -> EntityReading<E>.Output {
    let response = pieces.response
    var settling = try exchange.reading.settling(
      response, nil, to: SentRequest(facts: exchange.fetch.facts, sequence: sequence))
    let path = StreamedPath(try settling.envelope.keyPath(ofListIn: isArray ? [] : [:], response))
    try Streaming.check(options.parts, besides: path.array, response)
    settling.walk = walk
    var groups = StreamedGroups(settling, response, streaming, page: page)
    do {
      let spool = try streaming.groupSize == nil ? exchange.reading.core.newSpoolFile() : nil
      var reader = JSONElementReader(elementsAt: path.array, limits: elementLimits, totalBytes: options.totalBytes)
      var position = 0
      while let piece = try await pieces.next() {
        let elements: [JSONValue]
        do { elements = try reader.append(piece) } catch { throw fault(error, response) }
        try await spool?.append(piece)
        try await groups.add(path.objects(in: elements, from: position), bytes: piece.count)
        position += elements.count
        // Throws now, because the next piece may take long to come.
        if let failure = reader.failure { throw fault(failure, response) }
      }
      let rest: JSONElementReader.Rest
      do { rest = try reader.finish() } catch { throw fault(error, response) }
      try exchange.fetch.facts.judge(pieces.response, rest.envelope)
      guard rest.target == .array else {
        // The body is one object, or has no list at the key path.
        return whole(try await settling.settle(pieces.response, rest.envelope))
      }
      return try await groups.end(
        pieces.response, rest.envelope, spool.map { ElementSource($0, at: path, elementLimits) })
    } catch var error as RequestError {
      if groups.part.groups > 0 { error.committed = groups.part }
      throw error
    } catch let error as StoreError {
      throw RequestError(
        .upsert, "The response could not be kept beside the store: \(error)", response: response, underlying: error)
    }
  }

  private func fault(_ error: JSONError, _ response: HTTPResponse) -> any Error {
    ResponseParsing.failure(error, response, exchange.fetch.bodies)
  }

  /// The rows in the groups so far, if rows are deleted that no group has.
  private var walk: PageWalk? {
    if case .page(let step) = exchange.reading.purpose { return step.walk }
    return options.deletesMissing ? PageWalk(within: sequence) : nil
  }

  /// The objects for a walk, which counts and compares them; `nil` without a walk.
  private var page: StreamedPage? {
    guard case .page = exchange.reading.purpose else { return nil }
    return StreamedPage(uidKey: PageContent.uidKey(of: E.self, exchange.reading.core.schema))
  }

  /// The limits of each element, and of the body without the elements. Limits that the request set also count for all
  /// elements together.
  private var elementLimits: JSONLimits {
    var limits = options.limits
    limits.depth = min(limits.depth, JSONLimits.standard.depth)
    if !options.hasLimits { limits.nodes = .max }
    return limits
  }
}

extension ResponseOptions {
  /// How many bytes a streamed body may have.
  fileprivate var totalBytes: Int { hasLimits ? limits.bytes : .max }
}
