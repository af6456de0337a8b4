import { sql } from 'kysely'

/**
 * SQL for a HAVING condition that every group meets, with which the database sorts rows by their group, and holds the values of
 * one group at a time: a hash table cannot have aggregates with an order. Such a table checks its memory when a group is
 * added to it, not when a text of a group becomes a longer one (ADR 0166).
 */
export const oneByOne = sql`count(1 ORDER BY 1) FILTER (WHERE FALSE) = 0`
