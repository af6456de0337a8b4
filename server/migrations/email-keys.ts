import { readEmailAddress } from '@portico/contract/email-address'
import type pg from 'pg'

const rowsAtOnce = 10_000

/**
 * Gives each person the key of their address. If an earlier release stored several addresses with equal keys, all of
 * them become ambiguous and stay as they are: it is impossible to tell which person owns the mailbox. Other addresses
 * are written in the form used for sending. An address that is refused now gets no key.
 */
export async function fillEmailKeys(client: pg.ClientBase): Promise<void> {
  await client.query('CREATE TEMPORARY TABLE new_email_keys (id uuid, address text, key text) ON COMMIT DROP')
  for (let after: string | null = null; ;) {
    const { rows }: pg.QueryResult<{ id: string; email: string }> = await client.query(
      'SELECT id, email FROM portico.persons WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2',
      [after, rowsAtOnce],
    )
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
    const keyed = rows.flatMap(({ id, email }) => {
      const read = readEmailAddress(email)
      return 'key' in read ? [{ id, ...read }] : []
    })
    await client.query('INSERT INTO new_email_keys SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[])', [
      keyed.map(({ id }) => id),
      keyed.map(({ address }) => address),
      keyed.map(({ key }) => key),
    ])
  }
  await client.query('ANALYZE new_email_keys')
  await client.query(
    `UPDATE portico.persons p SET email_key = n.key, is_ambiguous = n.others > 0,
       email = CASE WHEN n.others > 0 THEN p.email ELSE n.address END
     FROM (SELECT id, address, key, count(*) OVER (PARTITION BY key) - 1 AS others FROM new_email_keys) n
     WHERE n.id = p.id`,
  )
}
