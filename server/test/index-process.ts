// Settles one index in a process of its own, so that a test can kill it: node index-process.ts <account> <index>.
// DATABASE_URL says where.
import { reconcileIndex } from '#indexes'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'

const [account = '', indexId = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const database = openDatabase(process.env['DATABASE_URL'] ?? '', log)
await reconcileIndex({ database, log }, Number(account), Number(indexId), new AbortController().signal)
await database.close()
