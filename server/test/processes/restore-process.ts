// Undoes one bulk delete in a process that a test can kill: node restore-process.ts <account> <delete>. Uses
// DATABASE_URL.
import { runRestore } from '#delete-undos'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'

const [account = '', deleteId = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const database = openDatabase(process.env['DATABASE_URL'] ?? '', log)
await runRestore({ database, log }, Number(account), deleteId, new AbortController().signal)
await database.close()
