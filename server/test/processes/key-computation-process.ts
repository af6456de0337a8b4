// Computes dedup keys in a process that a test can kill: node key-computation-process.ts <account> <computation>. Uses
// DATABASE_URL.
import { runKeyComputation } from '#dedup-keys'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'

const [account = '', id = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const database = openDatabase(process.env['DATABASE_URL'] ?? '', log)
await runKeyComputation({ database, log }, Number(account), id, new AbortController().signal)
await database.close()
