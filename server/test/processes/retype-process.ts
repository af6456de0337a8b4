// Changes the type of one field in a process that a test can kill: node retype-process.ts <account> <change>. Uses
// DATABASE_URL.
import { runRetype } from '#fields'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'

const [account = '', retypeId = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const database = openDatabase(process.env['DATABASE_URL'] ?? '', log)
await runRetype({ database, log }, Number(account), Number(retypeId), new AbortController().signal)
await database.close()
