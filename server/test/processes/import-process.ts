// Runs one import or one review in a process that a test can kill: node import-process.ts <account> <id>. Uses
// DATABASE_URL and DATA_DIR.
import { createStorage } from '#files'
import { firstReviewId, runImport, runReview } from '#imports'
import { readConfig } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'

const [account = '', importId = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const log = createLog({ level: 'silent' })
const database = openDatabase(config.databaseUrl ?? '', log)
const deps = {
  database,
  storage: createStorage(config, log),
  log,
  onCompleted: async () => {},
  onRejected: async () => {},
}
const run = Number(importId) < firstReviewId ? runImport : runReview
await run(deps, Number(account), Number(importId), new AbortController().signal)
await database.close()
