import Testing

@testable import EntityGeneration

@Suite struct TextMergeTests {
  private let base = "a\nb\nc\nd\ne\n"

  @Test func `changes of different lines are merged`() {
    let merge = TextMerge(base: base, own: "a\nB\nc\nd\ne\n", new: "a\nb\nc\nd\nx\ne\n")
    #expect(merge.text == "a\nB\nc\nd\nx\ne\n")
    #expect(merge.conflicts == [])
  }

  @Test func `a change that both made is no conflict`() {
    #expect(TextMerge(base: base, own: "a\nX\nc\nd\ne\n", new: "a\nX\nc\nd\ne\n").text == "a\nX\nc\nd\ne\n")
  }

  @Test func `a line that one deletes goes`() {
    #expect(TextMerge(base: base, own: base, new: "a\nc\nd\ne\n").text == "a\nc\nd\ne\n")
    #expect(TextMerge(base: base, own: "b\nc\nd\ne\n", new: "a\nb\nc\nd\n").text == "b\nc\nd\n")
  }

  @Test func `two changes of one line are a conflict with its place`() {
    let merge = TextMerge(base: base, own: "0\na\nB\nc\nd\ne\n", new: "a\nX\nc\nd\ne\n")
    #expect(merge.conflicts == [.init(line: 3, own: ["B"], new: ["X"])])
  }

  @Test func `a conflict leaves the person's lines in the text`() {
    #expect(TextMerge(base: base, own: "a\nB\nc\nd\ne\n", new: "a\nX\nc\nd\ne\nf\n").text == "a\nB\nc\nd\ne\nf\n")
  }

  @Test func `a line that the document adds beside one of the person's comes along`() {
    #expect(TextMerge(base: "a\nb\n}\n", own: "a\nB\n}\n", new: "a\nb\nc\n}\n").text == "a\nB\nc\n}\n")
    #expect(
      TextMerge(base: "a\nb\n}\n", own: "a\nb\nx() {\ny\n }\n}\n", new: "a\nb\nc\n}\n").text
        == "a\nb\nc\nx() {\ny\n }\n}\n")
    #expect(
      TextMerge(base: "a\nb\n}\n", own: "a\nb\nx() {\ny\n }\n}\n", new: "a\nB\n}\n").text == "a\nB\nx() {\ny\n }\n}\n")
  }

  @Test func `lines that both add are a conflict if they are not apart`() {
    // The person has pasted the line that the document adds.
    #expect(TextMerge(base: "}\n", own: "b\nc\n}\n", new: "b\n}\n").conflicts.count == 1)
    // Half of a function can't stand before other lines.
    #expect(TextMerge(base: "a\n", own: "a\nx {\n", new: "a\ny {\n}\n").conflicts.count == 1)
  }

  @Test func `a text with the line ends of Windows keeps them`() {
    let merge = TextMerge(base: base, own: "a\r\nB\r\nc\r\nd\r\ne\r\n", new: "a\nb\nc\nd\nx\ne\n")
    #expect(merge.conflicts == [])
    #expect(merge.text == "a\r\nB\r\nc\r\nd\r\nx\r\ne\r\n")
  }

  @Test func `empty texts are merged`() {
    #expect(TextMerge(base: "", own: "", new: "a\n").text == "a\n")
    #expect(TextMerge(base: "a\n", own: "", new: "").text == "")
  }
}
