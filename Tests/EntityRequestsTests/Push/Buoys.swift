import EntityClient
import EntityTesting
import Foundation

@Entity final class Buoy: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var depth: Int?
  var revision: Int?

  static var basePath: String { "buoys" }
}

/// Its rows go by their version.
@Entity final class Beacon: RemoteEntity {
  @UID @Key("id") var uid: Int
  var revision: Int?

  static var basePath: String { "beacons" }
  static var versionAttribute: PartialKeyPath<Beacon>? { \.revision }
}

/// Its update is written by hand.
@Entity final class HandBuoy: RemoteEntity {
  @UID @Key("id") var uid: Int
  var revision: Int?

  static var basePath: String { "handbuoys" }

  nonisolated func update(with response: ResponseObject) throws { try response.assign("revision", to: &revision) }
}

/// The objects that tests of all three read.
protocol AnyBuoy: RemoteEntity {
  var uid: Int { get }
  var revision: Int? { get }
}

extension Buoy: AnyBuoy {}
extension Beacon: AnyBuoy {}
extension HandBuoy: AnyBuoy {}

let buoyRules: PushRules = [
  .on("created", "updated", do: .upsert(Buoy.self)),
  .on("deleted", do: .delete(Buoy.self, at: "id")),
  .on("cleared", do: .delete(Buoy.self)),
  .on("changed", do: .refresh { _ in try await Buoy.get() }),
]

extension EntityStore {
  /// The names of the buoys by their uids, as text.
  func buoys() async throws -> [String] {
    try await read { context in
      try context.fetch(Buoy.all.sorted { $0.uid }).map { "\($0.uid) \($0.name ?? "-") \($0.depth ?? 0)" }
    }
  }
}

extension EventStreamOptions {
  /// Without a limit of silence, whose waits would be among those of a virtual clock.
  static var patient: EventStreamOptions {
    var options = EventStreamOptions()
    options.maximumSilence = nil
    return options
  }
}

extension StubAnswer {
  /// An event stream, which ends.
  static func events(_ text: String) -> StubAnswer { .text(text, contentType: "text/event-stream; charset=utf-8") }
}
