// Builds or drops one index in a process that a test can kill: node index-process.ts <account> <index>. Uses
// DATABASE_URL.
import { reconcileIndex } from '#indexes'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'

const [account = '', indexId = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const database = openDatabase(process.env['DATABASE_URL'] ?? '', log)
await reconcileIndex({ database, log }, Number(account), Number(indexId), new AbortController().signal)
await database.close()
