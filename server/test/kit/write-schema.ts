import { writeFile } from 'node:fs/promises'
import { dumpNewPortal, schemaFile } from './schema-dump.ts'

// The command "npm run schema".
await writeFile(schemaFile, await dumpNewPortal())
