import EntityClient
import Foundation
import Testing

/// Two properties that are read from one key.
@Suite struct TwinKeyTests {
  private func read(_ payload: JSONObject) async throws -> [String] {
    let store = try EntityStore(.inMemory, entities: [Priced.self], busyTimeout: .seconds(60))
    _ = try await store.receive(Priced.self, payload.value)
    return try await store.read { context in
      try context.fetch(Priced.self).flatMap { ["\($0.price)", $0.text ?? "-", $0.code ?? "-", $0.filled ?? "-"] }
    }
  }

  @Test func `each of two properties with one key is read by its own rules`() async throws {
    #expect(try await read(["id": 1, "price": 1250, "code": "", "declared": true]) == ["12.5", "1250", "", "-"])
    #expect(try await read(["id": 1, "price": 1250]) == ["12.5", "1250", "-", "-"])
  }

  @Test func `two properties with one key are sent together only with one value`() async throws {
    let store = try EntityStore(.inMemory, entities: [Priced.self], busyTimeout: .seconds(60))
    let (same, error) = try await store.background { context in
      let priced = try context.insert(Priced.self)
      priced.code = "x"
      priced.filled = "x"
      let same = try priced.jsonObject(for: \.code, \.filled, \.code)
      priced.filled = "y"
      let error = #expect(throws: RequestError.self) { try priced.jsonObject(for: \.code, \.filled) }
      return (same, error)
    }
    #expect(same == ["code": "x"])
    #expect(error?.kind == .invalidRequest)
    #expect(
      error?.message.contains("'Priced.code' and 'Priced.filled' have the key \"code\" both") == true, "\(error as Any)"
    )
  }

  @Test func `a key is not sent together with a key that it leads into`() async throws {
    let store = try EntityStore(.inMemory, entities: [Framed.self], busyTimeout: .seconds(60))
    let (apart, error) = try await store.background { context in
      let framed = try context.insert(Framed.self)
      framed.unit = "cm"
      let apart = try (framed.jsonObject(for: \.frame), framed.jsonObject(for: \.unit, \.title))
      return (apart, #expect(throws: RequestError.self) { try framed.jsonObject(for: \.unit, \.title, \.frame) })
    }
    #expect(apart.0 == ["frame": nil])
    #expect(apart.1 == ["frame": ["width": ["unit": "cm"]], "frames": nil])
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("'Framed.unit' leads into \"frame\"") == true, "\(error as Any)")
    #expect(error?.message.contains("'Framed.frame'") == true, "\(error as Any)")
  }

  @Test func `two properties of one type with one key and different rules are an error`() async throws {
    let error = await #expect(throws: MappingError.self) { try await self.read(["id": 1, "code": "x"]) }
    #expect(error?.key == "code")
    #expect(error?.reason.contains("'code'") == true)
    #expect(error?.reason.contains("'filled'") == true)
  }
}

@Entity final class Framed {
  var frame: String?
  @Key("frame.width.unit") var unit: String?
  @Key("frames") var title: String?
}

extension Framed: RemoteEntity {
  static var basePath: String { "framed" }
}
