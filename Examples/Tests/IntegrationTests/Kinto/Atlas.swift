import EntityClient
import Foundation
import Kinto

/// All of iso-codes on the server, put there once for the tests that read it.
actor Atlas {
  static let shared = Atlas()
  private var loading: Task<ISOCodes, any Error>?

  static let bucket = "atlas"

  /// - Returns: The source, when all of it is on the server.
  func codes() async throws -> ISOCodes {
    let loading = loading ?? Task { try await Self.load() }
    self.loading = loading
    return try await loading.value
  }

  private static func load() async throws -> ISOCodes {
    let codes = try ISOCodes()
    let start = ContinuousClock.now
    let peer = try Peer(bucket)
    defer { peer.remove() }
    try await peer.server.setUp()
    // Countries as an app makes them, one by one; the rest by batches.
    try await peer { try await create(codes.countries, in: peer) }
    try await peer.server.put(ISOCodes.records(codes.subdivisions), as: Subdivision.self)
    try await peer.server.put(ISOCodes.records(codes.languages), as: Language.self)
    let count = codes.countries.count + codes.subdivisions.count + codes.languages.count
    print("Kinto: \(count) records put in \(elapsed(since: start))")
    return codes
  }

  @MainActor private static func create(_ countries: [String: ISOCodes.Fields], in peer: Peer) async throws {
    for (code, fields) in countries.sorted(by: { $0.key < $1.key }) {
      let country = try peer.store.main.insert(Country.self)
      country.code = code
      country.alpha3 = fields["alpha_3"] ?? ""
      country.numeric = fields["numeric"] ?? ""
      country.name = fields["name"] ?? ""
      country.officialName = fields["official_name"]
      country.commonName = fields["common_name"]
      country.flag = fields["flag"] ?? ""
      try await country.create()
    }
  }
}

func elapsed(since start: ContinuousClock.Instant) -> String {
  (ContinuousClock.now - start).formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1)))
}
