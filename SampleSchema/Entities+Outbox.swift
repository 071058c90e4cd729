public import EntityClient

// The changes that an outbox sends. Objects are made, edited, deleted and saved as ever, with a network or without one.

extension User: OutboxEntity {
  /// The server is asked for the e-mail address after a lost answer to a create: `GET users?email=ada@example.com`.
  public static var outbox: OutboxRules<User> { [.rest, .lookingUp(by: \.email)] }
}

extension Post: OutboxEntity {}

extension Comment: OutboxEntity {
  /// A comment is created under its post: `POST posts/7/comments {"text": "Well said.", "author_id": 3}`.
  public static var outbox: OutboxRules<Comment> {
    [
      .request(to: .create) { comment, change in
        var request = try Comment.request(.post, Post.resource(uid: comment.post.uid, "comments"))
        // The change lacks an author whom the server has refused.
        let hasAuthor = change.properties.contains("author")
        try request.setJSON(hasAuthor ? comment.jsonObject(for: \.text, \.author) : comment.jsonObject(for: \.text))
        return request
      }
    ]
  }
}
