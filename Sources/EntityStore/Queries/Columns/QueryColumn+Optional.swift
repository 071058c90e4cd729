// A column compared with one of the same type that is optional: `$0.author.age > $0.reviewer.age`, where only the
// reviewer may be missing. `nil` comes neither before nor after anything, and equals no value.

extension QueryColumn {
  /// `$0.boss.name == $0.name`
  /// // (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."boss") IS t0."name"
  public static func == (column: QueryColumn<V?>, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) IS \(other.sql)")
  }

  /// `$0.boss.name != $0.name`
  /// // (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."boss") IS NOT t0."name"
  public static func != (column: QueryColumn<V?>, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) IS NOT \(other.sql)")
  }
}

extension QueryColumn where V: Comparable {
  /// `$0.age < $0.boss.age`
  /// // t0."age" < (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss")
  public static func < (column: Self, other: QueryColumn<V?>) -> EntityPredicate {
    EntityPredicate("\(column.sql) < \(other.sql)")
  }
  /// `$0.boss.age < $0.age`
  /// // (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss") < t0."age"
  public static func < (column: QueryColumn<V?>, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) < \(other.sql)")
  }
  /// `$0.age <= $0.boss.age`
  /// // t0."age" <= (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss")
  public static func <= (column: Self, other: QueryColumn<V?>) -> EntityPredicate {
    EntityPredicate("\(column.sql) <= \(other.sql)")
  }
  /// `$0.boss.age <= $0.age`
  /// // (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss") <= t0."age"
  public static func <= (column: QueryColumn<V?>, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) <= \(other.sql)")
  }
  /// `$0.age > $0.boss.age`
  /// // t0."age" > (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss")
  public static func > (column: Self, other: QueryColumn<V?>) -> EntityPredicate {
    EntityPredicate("\(column.sql) > \(other.sql)")
  }
  /// `$0.boss.age > $0.age`
  /// // (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss") > t0."age"
  public static func > (column: QueryColumn<V?>, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) > \(other.sql)")
  }
  /// `$0.age >= $0.boss.age`
  /// // t0."age" >= (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss")
  public static func >= (column: Self, other: QueryColumn<V?>) -> EntityPredicate {
    EntityPredicate("\(column.sql) >= \(other.sql)")
  }
  /// `$0.boss.age >= $0.age`
  /// // (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss") >= t0."age"
  public static func >= (column: QueryColumn<V?>, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) >= \(other.sql)")
  }
}
