import { canonicalHost } from '@portico/contract/hosts'
import { plainDomainOrIp } from '@portico/contract/remote-access/rules'
import type pg from 'pg'

/** Writes the hosts of remote accesses and of servers' pinned keys in the canonical form by which they are found. */
export async function writeCanonicalHosts(client: pg.ClientBase, schema: string): Promise<void> {
  const accesses = await client.query<{ id: string; setting: string }>(
    `SELECT id, domain_or_ip AS setting FROM ${schema}.remote_accesses WHERE type = 'domain'`,
  )
  for (const { id, setting } of accesses.rows) {
    const plain = plainDomainOrIp(setting)
    if (plain === setting) continue
    await client.query(`UPDATE ${schema}.remote_accesses SET domain_or_ip = $1 WHERE id = $2`, [plain, id])
  }
  const keys = await client.query<{ host: string; port: number }>(`SELECT host, port FROM ${schema}.host_keys`)
  const known = new Set(keys.rows.map(({ host, port }) => `${host} ${port}`))
  for (const { host, port } of keys.rows) {
    const one = canonicalHost(host)
    // A key that the server has presented under this form takes precedence.
    if (one === host || known.has(`${one} ${port}`)) continue
    known.add(`${one} ${port}`)
    await client.query(`UPDATE ${schema}.host_keys SET host = $1 WHERE host = $2 AND port = $3`, [one, host, port])
  }
}
