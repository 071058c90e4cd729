import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// Multipart bodies, files and images.
@Suite(.sample) struct MultipartTests {
  private func request() throws -> URLRequest { URLRequest(url: try #require(URL(string: "https://h/x"))) }

  private func file(_ content: Data, _ name: String = "a.txt") throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "multipart-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appending(path: name)
    try content.write(to: url)
    return url
  }

  @Test func `parts are written as RFC 7578 says`() throws {
    var request = try request()
    try request.setMultipart(
      ["title": "Öslo", "empty": nil],
      [
        .data("photo\"\r\n", Data([0, 13, 10]), filename: "ü\".png", contentType: "image/png"),
        .data("raw", Data("x".utf8), filename: "x.bin"), .data("bare", Data("y".utf8)),
      ], boundary: { "B" })
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "multipart/form-data; boundary=B")
    let expected = """
      --B\r\nContent-Disposition: form-data; name="title"\r\n\r\nÖslo\r
      --B\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r
      --B\r\nContent-Disposition: form-data; name="photo%22%0D%0A"; filename="ü%22.png"\r
      Content-Type: image/png\r\n\r\n\0\r\n\r
      --B\r\nContent-Disposition: form-data; name="raw"; filename="x.bin"\r
      Content-Type: application/octet-stream\r\n\r\nx\r
      --B\r\nContent-Disposition: form-data; name="bare"\r\n\r\ny\r
      --B--\r\n
      """
    #expect(String(decoding: try #require(request.httpBody), as: UTF8.self) == expected)
  }

  @Test func `a boundary that the data contains is not used`() throws {
    var request = try request()
    var boundaries = ["AAA", "B--", "CCC"][...]
    try request.setMultipart(
      ["a": "--AA", "b": "xAAAx"], [.data("c", Data("BB--".utf8))], boundary: { boundaries.popFirst() ?? "" })
    #expect(request.value(forHTTPHeaderField: "Content-Type")?.hasSuffix("boundary=CCC") == true)
  }

  @Test func `boundaries are random and need no quotes`() throws {
    var types: Set<String> = []
    for _ in 0..<20 {
      var request = try request()
      try request.setMultipart(["a": 1])
      types.insert(try #require(request.value(forHTTPHeaderField: "Content-Type")))
    }
    #expect(types.count == 20)
    for type in types {
      let boundary = type.dropFirst("multipart/form-data; boundary=".count)
      #expect(boundary.count <= 70)
      #expect(boundary.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    }
  }

  @Test func `a file goes through the verbs and through other clients alike`() async throws {
    let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let url = try file(content, "photo.jpg")
    try StubAdapter.current.on(.post, "/users", .status(204))
    var streamed = Data()
    var length: Int64?
    try await User.post {
      try $0.setMultipart(["a": 1], [.file("photo", url, contentType: "image/jpeg")])
      #expect($0.httpBody == nil)
      length = $0.bodyLength
      let stream = try #require($0.httpBodyStream)
      stream.open()
      var buffer = [UInt8](repeating: 0, count: 1000)
      while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 { streamed += buffer[..<count] }
      #expect(stream.streamStatus == .atEnd)
      #expect(stream.streamError == nil)
      stream.close()
    }
    let sent = try #require(try StubAdapter.current.requests.first)
    #expect(sent.body == streamed)
    #expect(sent.body.count == length.map(Int.init))
    #expect(sent.body.range(of: content) != nil)
    #expect(sent.body.range(of: Data(#"name="photo"; filename="photo.jpg""#.utf8)) != nil)
    #expect(sent.body.range(of: Data(url.deletingLastPathComponent().lastPathComponent.utf8)) == nil)
  }

  /// A helper as a project writes it: the fields of an object, and a file beside them.
  @Test @MainActor func `an object is posted with a file`() async throws {
    let image = try file(Data("pixels".utf8), "me.png")
    let user = try Client.current.store.main.insert(User.self)
    user.email = "ada@example.com"
    user.age = 36
    try StubAdapter.current.on(.post, "/users", .json(["id": 7], status: 201))
    try await user.post {
      try $0.setMultipart(user.jsonObject(for: \.email, \.age, \.firstName), [.file("avatar", image)])
    }
    // The fields are known to the server: none of them is an edit any more.
    #expect(user.uid == 7)
    #expect(!user.hasChanges)
    let body = String(decoding: try #require(try StubAdapter.current.requests.first).body, as: UTF8.self)
    for part in [
      "name=\"age\"\r\n\r\n36\r\n", "name=\"email\"\r\n\r\nada@example.com\r\n", "name=\"first\"\r\n\r\n\r\n",
      "name=\"avatar\"; filename=\"me.png\"\r\nContent-Type: application/octet-stream\r\n\r\npixels\r\n",
    ] {
      #expect(body.contains(part), "\(body)")
    }
  }

  @Test func `multipart takes the fields of a form`() throws {
    struct Person: Encodable { var name = "Ada", tags = ["a", "b"], home = ["city": "Oslo"] }
    func body(_ change: (inout URLRequest) throws -> Void) throws -> [String] {
      var request = try request()
      try change(&request)
      let body = String(decoding: try #require(request.httpBody), as: UTF8.self)
      return body.split(separator: "form-data; ").dropFirst().map { String($0.prefix { $0 != "-" }) }
    }
    let expected = [
      "name=\"home[city]\"\r\n\r\nOslo\r\n", "name=\"name\"\r\n\r\nAda\r\n", "name=\"tags\"\r\n\r\na\r\n",
      "name=\"tags\"\r\n\r\nb\r\n",
    ]
    let object: JSONObject = ["home": ["city": "Oslo"], "name": "Ada", "tags": ["a", "b"]]
    let mixed: [String: Any?] = ["name": "Ada", "tags": ["a", "b"], "home": ["city": "Oslo"]]
    #expect(try body { try $0.setMultipart(Person()) } == expected)
    #expect(try body { try $0.setMultipart(object) } == expected)
    #expect(try body { try $0.setMultipart(mixed) } == expected)
    #expect(try body { try $0.setMultipart(["home[city]": "Oslo", "name": "Ada", "tags": ["a", "b"]]) } == expected)
  }

  @Test func `an unreadable file is refused before anything is sent`() async throws {
    var request = try request()
    let folder = FileManager.default.temporaryDirectory
    for url in [folder, folder.appending(path: "no-such-file"), try #require(URL(string: "https://h/a.txt"))] {
      #expect(try await requestError { try request.setFile(url, contentType: "text/plain") }.kind == .invalidRequest)
      #expect(try await requestError { try request.setMultipart([:], [.file("a", url)]) }.kind == .invalidRequest)
    }
    let part = MultipartPart.data("a", Data(), contentType: "text/plain\r\nX-Evil: 1")
    #expect(try await requestError { try request.setMultipart([:], [part]) }.kind == .invalidRequest)
    #expect(request.httpBody == nil)
    #expect(request.httpBodyStream == nil)
  }

  @Test func `a file that changed fails the request`() async throws {
    try StubAdapter.current.on(.post, "/users", .status(204))
    for change in [Data("longer than before".utf8), Data("s".utf8), nil] {
      let url = try file(Data("before".utf8))
      let error = try await requestError {
        try await User.post {
          try $0.setMultipart([:], [.file("a", url)])
          if let change { try change.write(to: url) } else { try FileManager.default.removeItem(at: url) }
        }
      }
      #expect(error.kind == .transport)
      #expect(error.description.contains("a.txt"))
      #expect((error.underlying as? TransportError)?.kind == .sending)
    }
  }

  @Test func `a file is a body`() async throws {
    let url = try file(Data("content".utf8))
    try StubAdapter.current.on(.put, "/users/1", .status(204))
    try await User.put("1") { try $0.setFile(url, contentType: "text/plain") }
    let sent = try #require(try StubAdapter.current.requests.first)
    #expect(sent.body == Data("content".utf8))
    #expect(sent.headers["Content-Type"] == "text/plain")
  }

  @Test func `a symbolic link stands for its file`() async throws {
    let url = try file(Data("content".utf8))
    let link = url.deletingLastPathComponent().appending(path: "link.txt")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    try StubAdapter.current.on(.post, "/users", .status(204))
    try await User.post {
      try $0.setMultipart([:], [.file("a", link)])
      #expect($0.bodyLength.map { $0 > 7 } == true)
    }
    let sent = try #require(try StubAdapter.current.requests.first)
    #expect(sent.body.range(of: Data("content".utf8)) != nil)
    #expect(sent.body.range(of: Data(#"filename="link.txt""#.utf8)) != nil)
  }

  @Test func `a stream that the caller made is sent once`() async throws {
    try StubAdapter.current.on(.post, "/users", .status(204))
    let stream = InputStream(data: Data("hello".utf8))
    try await User.post { $0.httpBodyStream = stream }
    #expect(try StubAdapter.current.requests.first?.body == Data("hello".utf8))
    let error = try await requestError { try await User.post { $0.httpBodyStream = stream } }
    #expect(error.kind == .transport)
    #expect(error.description.contains("once"))
  }

  @Test func `PNG images are known by their signature`() async throws {
    let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR…".utf8)
    var request = try request()
    try request.setPNG(image)
    #expect(request.httpBody == image)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "image/png")
    try request.setMultipart([:], [.png("image", image, filename: "me.png")])
    #expect(request.httpBody?.range(of: Data(#"filename="me.png""#.utf8)) != nil)
    for data in [Data(), Data("GIF89a".utf8), image.dropLast(4), image.prefix(8)] where data.count < 16 {
      #expect(try await requestError { try request.setPNG(data) }.kind == .invalidRequest)
      #expect(try await requestError { try MultipartPart.png("a", data) }.kind == .invalidRequest)
    }
  }
}
