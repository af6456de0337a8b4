import { pino } from 'pino'
import { expect, test } from 'vitest'
import { onDatabase } from '#test/kit/cluster.ts'
import { createTestDatabase } from '#test/kit/database.ts'
import { jobKinds } from '../../worker.ts'
import { startJobs } from './jobs.ts'

test('a start creates missing queues, and gives those of an earlier release its options', async () => {
  const { url, drop } = await createTestDatabase()
  try {
    const options = () =>
      onDatabase(url, async (client) => {
        const columns = 'name, heartbeat_seconds, retry_limit, retry_delay_max, expire_seconds, notify'
        return (await client.query(`SELECT ${columns} FROM jobs.queue ORDER BY name`)).rows as unknown[]
      })
    const before = await options()
    expect(before).toHaveLength(jobKinds.length)
    const [missing, older] = jobKinds.map(({ name }) => name)
    await onDatabase(url, async (client) => {
      await client.query('DELETE FROM jobs.queue WHERE name = $1', [missing])
      await client.query('UPDATE jobs.queue SET heartbeat_seconds = 60, notify = false WHERE name = $1', [older])
    })
    await (await startJobs(url, jobKinds, pino({ level: 'silent' }))).stop()
    expect(await options()).toEqual(before)
  } finally {
    await drop()
  }
})
