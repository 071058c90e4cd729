/// The name that the variants of one entity share: `UserCompact`, `UserBase` and `UserResponse` are `User`.
enum Stem {
  private static let endings = [
    "Mini", "Base", "Full", "Compact", "Standard", "Detail", "Details", "Detailed", "Simplified", "Simple", "Object",
    "Response", "Read", "Request", "Create", "Update", "Store", "Single", "Item", "Input", "Output", "Summary", "Basic",
    "Lite", "Public", "Private",
  ]
  private static let beginnings = [
    "Simplified", "Simple", "Basic", "Mini", "Full", "Compact", "Create", "Update", "New",
  ]

  static func of(_ name: String) -> String {
    var stem = String(name.split(separator: ".").last ?? "")
    if stem.isEmpty { stem = name }
    // snake_case names have the same variants.
    if stem.contains("_") || stem.first?.isLowercase == true { stem = Words.upperCamel(stem) }
    while let shorter = shortened(stem) { stem = shorter }
    return stem.isEmpty ? name : stem
  }

  private static func shortened(_ name: String) -> String? {
    for ending in endings where name.hasSuffix(ending) && name.count > ending.count {
      let rest = name.dropLast(ending.count)
      let trimmed = String(rest.reversed().drop { $0 == "-" || $0 == "_" }.reversed())
      // `Thread` does not end in `Read`, and `Restore` not in `Store`: they begin with a capital here.
      if !trimmed.isEmpty { return trimmed }
    }
    for beginning in beginnings where name.hasPrefix(beginning) {
      let rest = name.dropFirst(beginning.count)
      if rest.first?.isUppercase == true { return String(rest) }
    }
    return nil
  }
}
