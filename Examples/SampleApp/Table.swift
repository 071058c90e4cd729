import SampleSchema

/// Users as lines of text, the columns as wide as their content.
struct Table: CustomStringConvertible {
  let description: String

  init(_ users: [User]) {
    let rows =
      [["id", "name", "email", "city"]]
      + users.map { user in
        [
          "\(user.uid)", [user.firstName, user.lastName].compactMap(\.self).joined(separator: " "), user.email ?? "-",
          user.address?.city ?? "-",
        ]
      }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    description = rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
