public import Adapters
public import EntityClient
public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One bucket of a Kinto server with its account: the requests that are about no entity.
public struct KintoServer: Sendable {
  /// The client for the bucket's records.
  public let client: Client
  private let user: String
  private let password: String

  public static let entities: [any ManagedEntity.Type] = [Country.self, Subdivision.self, Language.self]

  /// - Parameters:
  ///   - root: The URL with the version of the protocol: `http://localhost:8888/v1/`.
  ///   - adapter: Sends the requests; basic authentication (RFC 7617 §2) is added to those that go to the server.
  public init(
    _ root: URL, bucket: String, user: String, password: String, store: EntityStore,
    adapter: some RequestAdapter = CurlAdapter()
  ) throws {
    let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
    let adapter = adapter.modifying(requestsTo: root) { try $0.setHeaders(["Authorization": "Basic \(credentials)"]) }
    client = try Client(adapter: adapter, store: store, baseURL: root.appending(path: "buckets/\(bucket)"))
    self.user = user
    self.password = password
  }

  /// Makes the account, the bucket and its collections.
  public func setUp() async throws {
    try await put("../../accounts/\(user)", ["data": ["password": JSONValue(password)]])
    try await put(nil, [:])
    for collection in [Country.collection, Subdivision.collection, Language.collection] {
      try await put("collections/\(collection)", [:])
    }
  }

  private func put(_ resource: String?, _ value: JSONValue) async throws {
    var request = try client.request(.put, resource, allowing: .aboveBasePath)
    try request.setJSON(value)
    try await client.send(request)
  }

  /// Puts many records by Kinto's batches, and upserts the records in the answers.
  ///
  /// - Parameter records: Each with its `id`.
  /// - Throws: `RequestError`; ``KintoRefusal`` for a record that the server did not take. Those before it are there
  ///   then.
  public func put<R: KintoRecord>(_ records: [JSONObject], as type: R.Type) async throws {
    for start in stride(from: 0, to: records.count, by: Self.batchSize) {
      let batch = try records[start..<min(start + Self.batchSize, records.count)].map { record in
        let path = try client.request(.put, "\(R.basePath)/\(record["id"]?.string ?? "")").url?.path(
          percentEncoded: true)
        return ["method": "PUT", "path": JSONValue(path ?? ""), "body": ["data": record.value]] as JSONValue
      }
      var request = try client.request(.post, "../../batch", allowing: .aboveBasePath)
      try request.setJSON(["requests": JSONValue(batch)] as JSONValue)
      let answer = try JSONObject(parsing: try await client.send(request).body)
      var made: [JSONValue] = []
      for response in answer["responses"]?.array ?? [] {
        guard let data = response["body.data"], response["status"]?.int.map({ 200...201 ~= $0 }) == true else {
          throw KintoRefusal(response: response)
        }
        made.append(data)
      }
      try await R.upsert(from: JSONValue(made), in: client.store, options: .envelope(.wholeBody))
    }
  }

  /// The largest number of requests in a batch, as the server is configured.
  private static let batchSize = 100
}

/// A part of a batch that the server refused.
public struct KintoRefusal: Error {
  /// Its status, path and body.
  public let response: JSONValue
}
