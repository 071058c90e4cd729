import CTransport
import Foundation

/// Requests over loopback to a server in a process of its own, on connections that are kept.
///
/// `get.N` sends small GETs, N at once, on as many connections. `down` and `up` move one large body: `buffered` in one
/// piece of memory, `streamed` piece by piece. `c-floor` is a loop over libcurl's multi interface in C, on one thread.
/// It sets the options of a handle once, and checks nothing. `client` is the whole way of a request: a client's verb,
/// which decodes the body. The time on processors is that of this process, without the server's.
let transportGroup = Group(
  name: "transport",
  contests: [1, 16, 64, 256].map { width in
    ("transport.get.\(width)", { @Sendable scale in try smallGets("transport.get.\(width)", width, scale) })
  }
    + BodyWork.allCases.map { work in
      ("transport.\(work.rawValue)", { @Sendable scale in try largeBody("transport.\(work.rawValue)", work, scale) })
    })

private func smallGets(_ name: String, _ width: Int, _ scale: Scale) throws -> Contest {
  // More than one for each that runs at once, and the same number for each.
  let each = max(2, scale(width == 1 ? 5_000 : 20_000) / width)
  let count = each * width
  let transfers = try AdapterTransfers(width: width)
  let client = try ClientTransfers(width: width)
  let floor = try FloorTransfers("small", width: width)
  return Contest(
    name: name, size: count * transport_small_size(), operations: count,
    ours: Contestant(
      name: "ours", run: { _ = try transfers.get(each) { _ in 0 } },
      digest: { try transfers.get(each, digest(of:)) }),
    rivals: [
      Contestant(name: "c-floor", run: { try floor.run(count) }, digest: { try floor.digest(count) }),
      Contestant(
        name: "client", run: { try client.get(each) },
        // The client has values in place of bytes.
        digest: {
          try client.get(each)
          return try transfers.get(each, digest(of:))
        }),
    ])
}

enum BodyWork: String, Sendable, CaseIterable {
  case bufferedDown = "down.buffered"
  case streamedDown = "down.streamed"
  case bufferedUp = "up.buffered"
  case streamedUp = "up.streamed"
}

private func largeBody(_ name: String, _ work: BodyWork, _ scale: Scale) throws -> Contest {
  let count = scale(64 << 20)
  let transfers = try AdapterTransfers(width: 1)
  let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 3) })
  let isUpload = work == .bufferedUp || work == .streamedUp
  let (timed, checked) = isUpload ? ("count", "sum") : ("bytes/\(count)", "bytes/\(count)")
  let floors = try [timed, checked].map { path in
    try FloorTransfers(path, width: 1, keeps: work != .streamedDown, sends: isUpload ? bytes : nil)
  }
  return Contest(
    name: name, size: count,
    ours: Contestant(
      name: "ours", run: { _ = try transfers.move(work, timed, bytes) },
      digest: {
        let body = try transfers.move(work, checked, bytes)
        return work == .streamedDown ? UInt64(count) : digest(of: body)
      }),
    rivals: [
      Contestant(
        name: "c-floor", run: { try floors[0].run(1) }, digest: { try floors[1].digest(1) })
    ])
}

/// As that of the floor.
func digest(of body: Data) -> UInt64 { body.withUnsafeBytes { transport_digest($0.baseAddress, $0.count) } }

/// The floor with its connections.
private final class FloorTransfers {
  private let floor: OpaquePointer
  /// libcurl reads them where they are.
  private let bytes: UnsafeMutableBufferPointer<UInt8>?

  init(_ path: String, width: Int, keeps: Bool = true, sends: Data? = nil) throws {
    guard let floor = curl_floor_new(try TransportServer.url(path).absoluteString, width) else {
      throw ContestError(description: "the floor could not be made")
    }
    self.floor = floor
    bytes = sends.map { data in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: data.count)
      _ = copy.initialize(from: data)
      return copy
    }
    curl_floor_keep(floor, keeps)
    if let bytes, let start = bytes.baseAddress { curl_floor_send(floor, start, bytes.count) }
  }

  deinit {
    curl_floor_free(floor)
    bytes?.deallocate()
  }

  func run(_ count: Int) throws {
    guard curl_floor_run(floor, count, nil) else { throw ContestError(description: "the floor's transfers failed") }
  }

  func digest(_ count: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    guard curl_floor_run(floor, count, &sum) else { throw ContestError(description: "the floor's transfers failed") }
    return sum
  }
}
