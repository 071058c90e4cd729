import EntityStore
import Foundation
import Testing

/// The transformers that come with the store.
struct TransformerTests {
  private enum Day: Transformers.DateFormat { static let format = "dd.MM.yyyy" }
  private enum Local: Transformers.DateFormat {
    static let format = "d MMM yyyy, HH:mm"
    static var timeZone: TimeZone { TimeZone(secondsFromGMT: 3600) ?? .gmt }
  }
  private enum Percent: Transformers.Bounded { static let bounds = 0.0...100.0 }
  private enum JaNein: Transformers.Words { static let words = (no: "nein", yes: "ja") }

  private func refuses<T: AttributeTransformer>(_ transformer: T.Type, _ sources: T.Source...) {
    for source in sources { #expect(throws: AttributeError.self, "\(source)") { try T.value(from: source) } }
  }

  @Test func `dates have their format`() throws {
    #expect(try Day.value(from: "29.02.2024") == Date(timeIntervalSince1970: 1_709_164_800))
    #expect(Day.source(from: Date(timeIntervalSince1970: 1_709_164_800)) == "29.02.2024")
    #expect(try Local.value(from: "1 Mar 2024, 00:30") == Date(timeIntervalSince1970: 1_709_249_400))
    #expect(Local.source(from: Date(timeIntervalSince1970: 1_709_249_400)) == "1 Mar 2024, 00:30")
    refuses(Day.self, "30.02.2024", "2024-02-29", "", "today")
  }

  @Test func `formatters are for many threads`() async throws {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (1...50).allSatisfy { day in
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            return (try? Day.value(from: Day.source(from: date))) == date
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func `words are booleans`() throws {
    #expect(try Transformers.YesNo.value(from: "YES"))
    #expect(try !Transformers.YesNo.value(from: "no"))
    #expect(try Transformers.OnOff.value(from: "on"))
    #expect(try Transformers.YN.value(from: "y"))
    #expect(try JaNein.value(from: "Ja"))
    #expect(Transformers.YesNo.source(from: false) == "no")
    #expect(Transformers.YN.source(from: true) == "Y")
    #expect(Transformers.OnOff.source(from: true) == "on")
    #expect(JaNein.source(from: false) == "nein")
    refuses(Transformers.YesNo.self, "", "true", "y", "yes ")
  }

  @Test func `data is base64url or hexadecimal`() throws {
    let data = Data([0xfb, 0xef, 0xff, 0])
    #expect(Base64URLTransformer.source(from: data) == "--__AA")
    #expect(try Base64URLTransformer.value(from: "--__AA") == data)
    #expect(try Base64URLTransformer.value(from: "--__AA==") == data)
    #expect(try Base64URLTransformer.value(from: "") == Data())
    refuses(Base64URLTransformer.self, "+/", "a", "====", "é", "a b")
    #expect(Transformers.Hex.source(from: data) == "fbefff00")
    #expect(try Transformers.Hex.value(from: "FBefFf00") == data)
    #expect(try Transformers.Hex.value(from: "") == Data())
    refuses(Transformers.Hex.self, "f", "0g", "0x00", " 00")
  }

  @Test func `text is cleaned and numbers are bounded`() {
    #expect(Transformers.Trimmed.value(from: " \ta b\n") == "a b")
    #expect(Transformers.Trimmed.source(from: " a") == " a")
    #expect(Transformers.Lowercased.value(from: " ADA@X ") == "ada@x")
    #expect(Percent.value(from: -0.5) == 0)
    #expect(Percent.value(from: 100.5) == 100)
    #expect(Percent.value(from: 7) == 7)
    #expect(Percent.source(from: 7) == 7)
  }
}
