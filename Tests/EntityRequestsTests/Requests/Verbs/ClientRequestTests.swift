import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Requests that are about no entity.
@Suite(.sample(baseURL: "https://api.example.com/v1/app", headers: ["Authorization": "secret"]))
struct ClientRequestTests {
  @Test(arguments: [
    (nil, "https://api.example.com/v1/app"), ("login", "https://api.example.com/v1/app/login"),
    ("../batch", "https://api.example.com/v1/batch"), ("/status?a=1", "https://api.example.com/status?a=1"),
  ])
  func `resources are relative to the base URL`(_ resource: String?, _ url: String) throws {
    let request = try Client.current.request(.post, resource, allowing: .aboveBasePath)
    #expect(request.url?.absoluteString == url)
    #expect(request.httpMethod == "POST")
    #expect(request.value(forHTTPHeaderField: "Authorization") == "secret")
    #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
  }

  @Test func `the headers go to no other origin`() throws {
    let request = try Client.current.request(
      .get, "https://other.example.com/", query: ["q": "1"], allowing: .otherOrigins)
    #expect(request.url?.absoluteString == "https://other.example.com/?q=1")
    #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
  }

  @Test func `request and response come through`() async throws {
    try StubAdapter.current.on(.post, "/v1/app/login", .json(["token": "t"]))
    var request = try Client.current.request(.post, "login")
    try request.setJSON(["name": "ada"])
    let answer = try await Client.current.send(request)
    #expect(try JSONObject(parsing: answer.body)["token"] == "t")
    #expect(try StubAdapter.current.requests.first?.json == ["name": "ada"])
  }

  @Test func `a refusal names its request`() async throws {
    try StubAdapter.current.on(.post, "/v1/app/login", .json(["reason": "no"], status: 403))
    let error = try await requestError { try await Client.current.send(Client.current.request(.post, "login")) }
    #expect(error.kind == .status)
    #expect(error.status == 403)
    #expect(error.body?["reason"] == "no")
    #expect(error.description.hasPrefix("POST https://api.example.com/v1/app/login (status 403)"))
  }
}
