import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of changes to tables. `name`: the name of the file. `statements` may contain `:account` and `:timeZone`. */
export type Migration = { name: string; statements: string[] }

type Kind = 'control' | 'account'

const folder = import.meta.dirname
const schemaFile = join(import.meta.dirname, '../schema.sql')

// The files do not change while the portal runs.
const migrations: Partial<Record<Kind, Promise<Migration[]>>> = {}
let accountTables: Promise<string> | undefined

/** Returns the migrations in order. */
export function readMigrations(kind: Kind): Promise<Migration[]> {
  return (migrations[kind] ??= readFolder(kind))
}

/**
 * Returns the statements that create an account's tables in their state after all migrations; the schema is `:account`.
 */
export function readAccountTables(): Promise<string> {
  return (accountTables ??= readTables())
}

async function readTables(): Promise<string> {
  const schema = await readFile(schemaFile, 'utf8')
  return schema.slice(schema.indexOf('CREATE TABLE :account.'))
}

/** Statements end with a semicolon at the end of a line; a function body keeps its own inside `$$`. */
async function readFolder(kind: Kind): Promise<Migration[]> {
  const names = (await readdir(join(folder, kind))).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => ({
      name,
      statements: splitStatements(await readFile(join(folder, kind, name), 'utf8')),
    })),
  )
}

function splitStatements(text: string): string[] {
  const statements: string[] = []
  let current = ''
  for (const line of text.split('\n')) {
    if (current === '' && /^\s*(--|$)/.test(line)) continue
    current += `${line}\n`
    const isInBody = (current.match(/\$\$/g)?.length ?? 0) % 2 === 1
    if (!isInBody && line.split('--', 1)[0]?.trimEnd().endsWith(';')) {
      statements.push(current)
      current = ''
    }
  }
  if (current.trim() !== '') statements.push(current)
  return statements
}
