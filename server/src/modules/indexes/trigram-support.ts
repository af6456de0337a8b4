import { sql } from 'kysely'
import { isOnCitus } from '#platform/citus/citus.ts'
import { controlSchema, type Db, isUniqueViolation } from '#platform/database.ts'
import { JobRefused } from '#platform/jobs/job-runs.ts'

/**
 * Whether a database can have trigram indexes. `schema`: of the extension, null until it is created. `isAsciiOnly`: they know
 * letters of ASCII only, so that words of other scripts are found by reading all texts. `problem`: why there can be none.
 */
export type TrigramSupport = { schema: string | null; isAsciiOnly: boolean; problem: null } | { problem: string }

/** Looks up whether the database can have trigram indexes. Creates nothing. */
export async function findTrigramSupport(db: Db): Promise<TrigramSupport> {
  // Workers would need the extension too, and those added later.
  if (await isOnCitus(db)) return { problem: 'a Citus cluster keeps none' }
  const { schema, hasUsage, isAvailable, mayCreate, isAsciiOnly, foldsLetterByLetter } = await selectFacts(db)
  if (!foldsLetterByLetter) return { problem: "the database's locale changes the case of letters by those around them" }
  if (schema === null && !isAvailable) return { problem: 'the extension pg_trgm is not installed on the server' }
  if (schema === null && !mayCreate) return { problem: "the portal's role may not create the extension pg_trgm" }
  if (schema !== null && !hasUsage)
    return { problem: `the portal's role may not use the schema "${schema}" of pg_trgm` }
  return { schema, isAsciiOnly, problem: null }
}

type Facts = {
  schema: string | null
  hasUsage: boolean | null
  isAvailable: boolean
  mayCreate: boolean
  isAsciiOnly: boolean
  foldsLetterByLetter: boolean
}

/**
 * Trigrams are of small letters. A locale of ICU writes the last sigma of a word in another way, so that the trigrams of a
 * part of a word would not be those of the word: contacts would not be found. Locales of libc and the built-in C ones look
 * at one letter at a time. Before version 18, the built-in ones leave that to libc, which must not know more letters.
 */
async function selectFacts(db: Db): Promise<Facts> {
  const { rows } = await sql<Facts>`
    SELECT n.nspname AS schema, has_schema_privilege(n.oid, 'USAGE') AS "hasUsage",
      EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS "isAvailable",
      (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR (
        has_database_privilege(current_database(), 'CREATE')
        AND EXISTS (SELECT FROM pg_available_extension_versions WHERE name = 'pg_trgm' AND trusted)
      ) AS "mayCreate",
      d.datctype IN ('C', 'POSIX') AS "isAsciiOnly",
      d.datlocprovider = 'c' OR d.datlocprovider = 'b' AND to_jsonb(d) ->> 'datlocale' IN ('C', 'C.UTF-8')
        AND (current_setting('server_version_num')::int >= 180000 OR d.datctype IN ('C', 'POSIX')) AS "foldsLetterByLetter"
    FROM pg_database d
    LEFT JOIN pg_extension e ON e.extname = 'pg_trgm'
    LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE d.datname = current_database()`.execute(db)
  const [facts] = rows
  if (!facts) throw new Error('the database does not know itself')
  return facts
}

// No right, not supported, no such file.
const refusals = ['42501', '0A000', '58P01']

/**
 * Creates the extension if it is missing, and returns its schema. Cannot run in a transaction.
 * @throws JobRefused where it cannot be created
 */
export async function requireTrigrams(db: Db): Promise<string> {
  const support = await findTrigramSupport(db)
  if (support.problem !== null) throw new JobRefused(`There can be no trigram indexes: ${support.problem}.`)
  if (support.schema !== null) return support.schema
  try {
    await sql`CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA ${sql.id(controlSchema)}`.execute(db)
  } catch (error) {
    // Another worker has just created it.
    if (isUniqueViolation(error)) return controlSchema
    if (!(error instanceof Error && 'code' in error && refusals.includes(String(error.code)))) throw error
    throw new JobRefused(`The extension pg_trgm cannot be created: ${error.message}.`)
  }
  return controlSchema
}
