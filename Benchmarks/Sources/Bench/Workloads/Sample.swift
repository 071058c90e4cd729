/// Responses with objects of one entity of SampleEntities.swift, and how they are ingested.
struct Sample: Sendable {
  /// As in the names of cases.
  let name: String
  let tables: Tables
  let makeRows: @Sendable (Tables) throws -> any IngestedRows
  /// A response with as many objects as the scale says. Those of another turn have other scores.
  let json: @Sendable (Scale, _ turn: Int) -> [UInt8]

  static let all: [Sample] = [
    Sample(
      name: "text-uids",
      tables: Tables(entities: [Ticket.self], digest: "SELECT uid, title, score FROM Ticket ORDER BY uid"),
      makeRows: { try SampleRows<Ticket>($0) },
      json: { scale, turn in
        // In no order, as most uids that are texts.
        var random = SplitMix(seed: 8)
        return .array(count: scale(100_000)) { index, bytes in
          bytes.add("{\"id\":\"\(String(random.next(), radix: 16))-\(index)\",\"title\":\"Ticket \(index)\"")
          bytes.add(",\"score\":\(index + turn)}")
        }
      }),
    Sample(
      name: "companies",
      tables: Tables(
        entities: [Employee.self, Company.self],
        digest: """
          SELECT e.uid, e.name, e.score, c.uid, c.name, c.city FROM Employee e LEFT JOIN Company c ON c._pk = e.company
          ORDER BY e.uid
          """),
      makeRows: { try SampleRows<Employee>($0) },
      json: { scale, turn in
        .array(count: scale(100_000)) { index, bytes in
          let company = index % 100
          bytes.add("{\"id\":\(index),\"name\":\"Employee \(index)\",\"score\":\(index + turn)")
          bytes.add(",\"company\":{\"id\":\(company),\"name\":\"Company \(company)\",\"city\":\"Springfield\"}}")
        }
      }),
    Sample(
      name: "lists",
      tables: Tables(
        entities: [Board.self, Post.self],
        digest: """
          SELECT b.uid, b.name, p.uid, p.title, p.score FROM Board b LEFT JOIN Post p ON p.board = b._pk
          ORDER BY b.uid, p.uid
          """),
      makeRows: { try SampleRows<Board>($0) },
      json: { scale, turn in
        .array(count: scale(10_000)) { board, bytes in
          bytes.add("{\"id\":\(board),\"name\":\"Board \(board)\",\"posts\":")
          bytes.append(
            contentsOf: [UInt8].array(count: 10) { place, bytes in
              let post = board * 10 + place
              bytes.add("{\"id\":\(post),\"title\":\"Post \(post)\",\"score\":\(post + turn)}")
            })
          bytes.add("}")
        }
      }),
    Sample(
      name: "unique",
      tables: Tables(entities: [Member.self], digest: "SELECT uid, name, score, code FROM Member ORDER BY uid"),
      makeRows: { try SampleRows<Member>($0) },
      json: { scale, turn in
        .array(count: scale(100_000)) { index, bytes in
          bytes.add("{\"id\":\(index),\"name\":\"Member \(index)\",\"score\":\(index + turn),\"code\":\"C-\(index)\"}")
        }
      }),
    Sample(
      name: "search",
      tables: Tables(entities: [Note.self], digest: "SELECT uid, title, body, score FROM Note ORDER BY uid"),
      makeRows: { try SampleRows<Note>($0) },
      json: { scale, turn in
        let words = ["reader", "walks", "early", "coffee", "maps", "river", "writes", "small", "tools"]
        // The text changes as well, so that the index does.
        return .array(count: scale(100_000)) { index, bytes in
          let body = (0..<8).map { words[(index / ($0 + 1) + turn) % words.count] }.joined(separator: " ")
          bytes.add("{\"id\":\(index),\"title\":\"Note \(index)\",\"body\":\"\(body)\",\"score\":\(index + turn)}")
        }
      }),
  ]
}
