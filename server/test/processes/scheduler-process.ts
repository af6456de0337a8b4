// Runs the scheduler in a process that a test can kill: node scheduler-process.ts. Each run that starts adds a row to
// the table `started` in its transaction. Uses DATABASE_URL; the clock is off by CLOCK_ERROR_MS.
import { sql } from 'kysely'
import { runDeliveryJob, runLetterJob } from '#delivery'
import { runScheduler } from '#scheduler'
import { readConfig } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { startJobs } from '#platform/jobs/jobs.ts'
import { createLog } from '#platform/log.ts'
import { createSecrets } from '#platform/secrets.ts'
import { idleConsumer } from '#test/stand-ins/idle-consumer.ts'

const clockError = Number(process.env['CLOCK_ERROR_MS'] ?? 0)
const realNow = Date.now
Date.now = () => realNow() + clockError

const config = readConfig(process.env)
const log = createLog({ level: 'silent' })
const database = openDatabase(config.databaseUrl ?? '', log, { max: 8 })
const jobs = await startJobs(config.databaseUrl ?? '', [runDeliveryJob, runLetterJob], log)
const consumers = idleConsumer({
  async start(tx, _account, { id }) {
    const { rows } = await sql<{ job: string }>`INSERT INTO started (run) VALUES (${id}::bigint) RETURNING job`.execute(
      tx,
    )
    return rows[0]?.job ?? ''
  },
})
const stop = new AbortController()
const sealer = createSecrets(config.secretKey, 'test')
process.stdout.write('running\n')
await runScheduler({ database, consumers, sealer, log, jobs, config }, stop.signal)
