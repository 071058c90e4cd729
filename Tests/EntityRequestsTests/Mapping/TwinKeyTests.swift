import EntityClient
import Foundation
import Testing

/// Two properties that are read from one key.
@Suite struct TwinKeyTests {
  private func read(_ payload: ResponseObject) async throws -> [String] {
    let store = try EntityStore(.inMemory, entities: [Priced.self], busyTimeout: .seconds(60))
    _ = try await store.take(Priced.self, payload.value)
    return try await store.read { context in
      try context.fetch(Priced.self).flatMap { ["\($0.price)", $0.text ?? "-", $0.code ?? "-", $0.filled ?? "-"] }
    }
  }

  @Test func eachIsReadByItsOwnRules() async throws {
    #expect(try await read(["id": 1, "price": 1250, "code": "", "declared": true]) == ["12.5", "1250", "", "-"])
    #expect(try await read(["id": 1, "price": 1250]) == ["12.5", "1250", "-", "-"])
  }

  @Test func twoOfOneTypeWithDifferentRulesAreToldApartByNobody() async throws {
    let error = await #expect(throws: MappingError.self) { try await self.read(["id": 1, "code": "x"]) }
    #expect(error?.key == "code")
    #expect(error?.reason.contains("'code'") == true && error?.reason.contains("'filled'") == true)
  }
}
