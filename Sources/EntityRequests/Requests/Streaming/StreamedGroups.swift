import EntityJSON
import EntityStore

/// The groups of a streamed list on their way into the store, one after the other.
struct StreamedGroups<E: RemoteEntity>: Sendable {
  private var settling: ResponseSettling<E>
  private let response: HTTPResponse
  private let streaming: Streaming
  private var page: StreamedPage?
  /// The elements of the group that is not full yet, and the bytes that came with them.
  private var group: [JSONValue] = []
  private var bytes = 0
  /// The sums of the groups that are committed.
  private var outcome = ResponseOutcome<E>(ids: [], counts: EntityCounts())
  private(set) var part = StreamedProgress()

  init(_ settling: ResponseSettling<E>, _ response: HTTPResponse, _ streaming: Streaming, page: StreamedPage?) {
    self.settling = settling
    self.response = response
    self.streaming = streaming
    self.page = page
  }

  /// Takes elements as they arrive, and commits each group that is full. If the response is one unit, the elements are
  /// only counted.
  ///
  /// - Parameter bytes: The length of the text that they arrived with.
  mutating func add(_ elements: [JSONValue], bytes: Int) async throws {
    self.bytes += bytes
    for element in elements {
      page?.add(element)
      guard let size = streaming.groupSize else {
        part.elements += 1
        continue
      }
      group.append(element)
      if group.count >= size { try await commit() }
    }
    if self.bytes >= Streaming.groupBytes, !group.isEmpty { try await commit() }
  }

  private mutating func commit() async throws {
    outcome.add(try await settling.settle(StreamedList(elements: ElementSource(group), first: part.elements), response))
    noteGroup(outcome.counts)
  }

  private mutating func noteGroup(_ counts: EntityCounts) {
    part.groups += 1
    part.elements += group.count
    part.counts = counts
    group.removeAll(keepingCapacity: true)
    bytes = 0
    streaming.committed?(part)
  }

  /// Takes in the last elements, with all that comes with the end of a response: its parts, missing objects, the next page.
  ///
  /// - Parameters:
  ///   - response: The response, whose transfer has ended.
  ///   - envelope: The body with an empty list.
  ///   - all: All elements, if the response is one unit.
  mutating func end(
    _ response: HTTPResponse, _ envelope: JSONValue, _ all: ElementSource?
  ) async throws -> EntityReading<E>.Output {
    settling.list = StreamedList(elements: all ?? ElementSource(group), first: all == nil ? part.elements : 0)
    settling.streamedPage = page
    settling.before = outcome
    var result = try await settling.settle(response, envelope)
    if all == nil, group.isEmpty, part.groups > 0 {
      part.counts = result.response.counts
    } else {
      noteGroup(result.response.counts)
    }
    result.response.details.streamed = part
    return result
  }
}

extension ResponseOutcome {
  /// Adds the outcome of another group of the same response.
  mutating func add(_ other: ResponseOutcome) {
    details.add(other.details, isFirst: !hasObjects, isEmpty: !other.hasObjects)
    counts.add(other.counts)
    parts.add(other.parts)
  }

  private var hasObjects: Bool { counts.inserted + counts.updated + counts.unchanged > 0 }
}

extension ResponseDetails {
  /// - Parameters:
  ///   - isFirst: True when no group before had an object.
  ///   - isEmpty: True when the other group has no object.
  fileprivate mutating func add(_ other: ResponseDetails, isFirst: Bool, isEmpty: Bool) {
    skipped.add(other.skipped)
    refused.add(other.refused)
    for value in other.unrecognized {
      let known = unrecognized.firstIndex {
        $0.entity == value.entity && $0.property == value.property && $0.value == value.value
      }
      if let known { unrecognized[known].count += value.count } else { unrecognized.append(value) }
    }
    unrecognized.removeLast(max(0, unrecognized.count - UnrecognizedValues.limit))
    if isFirst {
      absentKeys = other.absentKeys
    } else if !isEmpty {
      absentKeys.removeAll { !other.absentKeys.contains($0) }
    }
    isDryRun = isDryRun || other.isDryRun
    if !other.wouldDelete.isEmpty { wouldDelete = other.wouldDelete }
  }
}
