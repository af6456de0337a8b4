// Makes one attempt at a delivery in a process that a test can kill: node delivery-process.ts <account> <delivery>.
// Uses DATABASE_URL, DATA_DIR and SECRET_KEY.
import { deliveriesPurpose, runDelivery, runDeliveryJob, runLetterJob } from '#delivery'
import { createStorage } from '#files'
import { readConfig } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { startJobs } from '#platform/jobs/jobs.ts'
import { createLog } from '#platform/log.ts'
import { createMail } from '#platform/mail.ts'
import { createOutbound } from '#platform/outbound.ts'
import { createSecrets } from '#platform/secrets.ts'

const [account = '', deliveryId = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const log = createLog({ level: 'silent' })
const database = openDatabase(config.databaseUrl ?? '', log)
const jobs = await startJobs(database.url, [runDeliveryJob, runLetterJob], log)
const deps = {
  config,
  database,
  jobs,
  log,
  storage: createStorage(config, log),
  mail: createMail(config),
  outbound: createOutbound(config.outboundAllow),
  sealer: createSecrets(config.secretKey, deliveriesPurpose),
}
await runDelivery(deps, Number(account), deliveryId, new AbortController().signal)
await jobs.stop()
await database.close()
