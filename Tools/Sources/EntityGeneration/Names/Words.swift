/// The words of a name in any of the ways in which APIs write names: `created_at`, `createdAt`, `Created-At`, `HTMLUrl`.
enum Words {
  static func split(_ name: String) -> [String] {
    let characters = Array(name)
    var words: [String] = []
    var word = ""
    func isLetterOrDigit(_ index: Int) -> Bool {
      characters.indices.contains(index) && characters[index].isASCII
        && (characters[index].isLetter || characters[index].isNumber)
    }
    func isLower(_ index: Int) -> Bool {
      isLetterOrDigit(index) && (characters[index].isLowercase || characters[index].isNumber)
    }
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for (index, character) in characters.enumerated() {
      guard isLetterOrDigit(index) else {
        end()
        let precedesDigit = isLetterOrDigit(index + 1) && characters[index + 1].isNumber
        // `+1` and `GMT-5` keep their signs, which nothing else tells apart; `2024-05` and `ipv6-2` are words.
        if precedesDigit, character == "+" { words.append("plus") }
        if precedesDigit, character == "-",
          index == 0 || isLetterOrDigit(index - 1) && characters[index - 1].isUppercase
        {
          words.append("minus")
        }
        continue
      }
      let beginsWord = character.isUppercase && isLower(index - 1)
      let endsAcronym =
        character.isUppercase && isLetterOrDigit(index - 1) && characters[index - 1].isUppercase
        && isLetterOrDigit(index + 1) && characters[index + 1].isLowercase
      if beginsWord || endsAcronym { end() }
      word.append(character)
    }
    end()
    return words
  }

  private static let acronyms = [
    "id": "ID", "url": "URL", "uri": "URI", "html": "HTML", "http": "HTTP", "https": "HTTPS", "uuid": "UUID",
    "api": "API", "json": "JSON", "ip": "IP", "css": "CSS", "sms": "SMS", "ssl": "SSL", "utc": "UTC", "xml": "XML",
    "sql": "SQL", "dns": "DNS", "cpu": "CPU", "ssh": "SSH", "sha": "SHA", "iso": "ISO", "gps": "GPS", "pdf": "PDF",
  ]

  /// `firstName`, `avatarURL`, `userIDs`; empty where the name has no word.
  static func lowerCamel(_ name: String) -> String {
    var result = ""
    for (index, word) in split(name).enumerated() {
      result += index == 0 ? word.lowercased() : capitalized(word)
    }
    return result.first.map { $0.isNumber } == true ? "n" + result : result
  }

  /// `TaskState`, `HTMLPage`.
  static func upperCamel(_ name: String) -> String {
    let result = split(name).map(capitalized).joined()
    return result.first.map { $0.isNumber } == true ? "N" + result : result
  }

  private static func capitalized(_ word: String) -> String {
    let lower = word.lowercased()
    if let acronym = acronyms[lower] { return acronym }
    if lower.hasSuffix("s"), let acronym = acronyms[String(lower.dropLast())] { return acronym + "s" }
    // `HTMLURL` comes as one word in capitals, `V2` and `iOS` keep theirs.
    let rest = word.dropFirst()
    return word.prefix(1).uppercased()
      + (rest == rest.uppercased() && rest.count > 1 ? rest.lowercased() : String(rest))
  }

  /// `categories` is `category`; a guess that only names things.
  static func singular(_ word: String) -> String {
    let lower = word.lowercased()
    if let irregular = ["people": "person", "children": "child", "men": "man", "women": "woman", "indices": "index"][
      lower]
    {
      return irregular
    }
    for ending in ["ss", "us", "is", "news", "series"] where lower.hasSuffix(ending) { return word }
    if lower.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["sses", "uses", "shes", "ches", "xes", "zes"] where lower.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    return lower.hasSuffix("s") && word.count > 2 ? String(word.dropLast()) : word
  }
}
