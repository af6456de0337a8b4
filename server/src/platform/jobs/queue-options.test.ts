import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { onDatabase } from '#test/kit/cluster.ts'
import { createTestDatabase } from '#test/kit/database.ts'
import { defineJob, oneByOneInAccount, startJobs } from './jobs.ts'

const data = z.object({ account: z.number() })
const kinds = ['first kind', 'second kind', 'third kind'].map((kind) =>
  defineJob({ name: kind.replace(' ', '-'), data, rows: [], ...oneByOneInAccount }),
)

test('a start creates missing queues, and gives those of an earlier release its options', async () => {
  const { url, drop } = await createTestDatabase()
  const start = async () => (await startJobs(url, kinds as never, pino({ level: 'silent' }))).stop()
  const query = (text: string) =>
    onDatabase(url, async (client) => (await client.query(text)).rows as Record<string, unknown>[])
  const options = () =>
    query(`SELECT name, heartbeat_seconds, retry_limit, retry_delay_max, expire_seconds, notify FROM jobs.queue
           WHERE name LIKE '%-kind' ORDER BY name`)
  try {
    await start()
    const created = await options()
    expect(created).toHaveLength(kinds.length)
    expect(created[0]).toMatchObject({ heartbeat_seconds: 10, notify: true })
    await query(`DELETE FROM jobs.queue WHERE name = 'first-kind'`)
    await query(`UPDATE jobs.queue SET heartbeat_seconds = 60, notify = false WHERE name = 'second-kind'`)
    await start()
    expect(await options()).toEqual(created)
  } finally {
    await drop()
  }
})
