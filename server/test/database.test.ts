import pg from 'pg'
import { expect, test } from 'vitest'
import { isMigrated } from '#platform/migrations.ts'
import { createTestDatabase } from '#test/kit/database.ts'

test('a test database is migrated, separate from others, and can be dropped while in use', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  expect(one.url).not.toBe(other.url)
  const pools = [one, other].map(({ url }) => {
    const pool = new pg.Pool({ connectionString: url })
    // Dropping the database cuts the connection, as intended here.
    return pool.on('error', () => {})
  })
  const [pool, otherPool] = pools as [pg.Pool, pg.Pool]
  expect(await isMigrated(pool)).toBe(true)
  await pool.query('CREATE TABLE mine (id int)')
  await expect(otherPool.query('SELECT * FROM mine')).rejects.toThrow('does not exist')
  await Promise.all([one.drop(), other.drop()])
  await expect(pool.query('SELECT 1')).rejects.toThrow(/does not exist|terminat/)
  await Promise.all(pools.map((each) => each.end()))
})
