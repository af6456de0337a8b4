// Undoes one import in a process that a test can kill: node undo-process.ts <account> <import>. Uses DATABASE_URL.
import { runUndo } from '#import-undos'
import { openDatabase } from '#platform/database.ts'
import { createLog } from '#platform/log.ts'
import { fieldUses } from '../../src/registrations.ts'

const [account = '', importId = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const database = openDatabase(process.env['DATABASE_URL'] ?? '', log)
await runUndo({ database, log, uses: fieldUses }, Number(account), Number(importId), new AbortController().signal)
await database.close()
