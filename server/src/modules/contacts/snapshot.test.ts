import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'
import { startPortal } from '#test/kit/portal.ts'
import { withSnapshot } from './snapshot.ts'

test('an aborted snapshot ends even if its connection cannot be terminated, and the reason is logged', async () => {
  const portal = await startPortal()
  const account = await portal.account()
  const file = join(portal.config.dataDir, 'snapshot.log')
  const log = createLog({ file })
  const database = openDatabase(portal.parts.database.url, log)
  const stop = new AbortController()
  let closed: Promise<void> | undefined
  const outcome = withSnapshot({ database, log }, account, stop.signal, async ({ client }) => {
    const slow = client.query('SELECT pg_sleep(600)')
    // From now on, the pool refuses further statements.
    closed = database.pool.end()
    stop.abort()
    await slow
  })
  await expect(outcome).rejects.toThrow('Connection terminated')
  await expect.poll(() => readFile(file, 'utf8')).toMatch(/could not be terminated/)
  await closed
  await portal.close()
})
