import pg from 'pg'
import { openClient } from '../database.ts'
import { portalLock } from '../waits/lock-keys.ts'
import { hasCode } from './account.ts'
import { type Reachable, ownerRole, ownerUrl, superuserUrl } from './cluster.ts'

/**
 * Prepares the running server of a cluster for the portal, and returns the URL of the portal's database. Its role is
 * not a superuser, but owns the database and everything in it, including objects that an earlier release created as the
 * superuser. Safe to repeat, and to call from several processes at once. Always connects, which proves that the URL
 * works.
 */
export async function prepareDatabase(cluster: Reachable, port: number): Promise<string> {
  const maintenance = superuserUrl(cluster, port, 'postgres')
  const url = ownerUrl(cluster, port)
  const name = new URL(url).pathname.slice(1)
  await withClient(maintenance, async (client) => {
    // The lock ends with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [portalLock('preparation')])
    await prepareRole(client, cluster.ownerPassword)
    await prepareOwnDatabase(client, name)
    await withClient(superuserUrl(cluster, port, name), giveSchemas)
  })
  await withClient(url, (client) => client.query('SELECT 1'))
  return url
}

/**
 * Returns the URL of a database that another process has prepared; prepares it if that process runs an earlier release.
 */
export async function preparedUrl(cluster: Reachable, port: number): Promise<string> {
  const url = ownerUrl(cluster, port)
  try {
    await withClient(url, (client) => client.query('SELECT 1'))
    return url
  } catch (error) {
    // No such role or database, or another password: 28000, 28P01, 3D000.
    if (!hasCode(error, '28000', '28P01', '3D000')) throw error
    return prepareDatabase(cluster, port)
  }
}

async function prepareRole(client: pg.Client, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [ownerRole])
  const may = 'LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS'
  const how = `${may} PASSWORD ${pg.escapeLiteral(password)}`
  await client.query(`${rowCount ? 'ALTER' : 'CREATE'} ROLE ${ownerRole} ${how}`)
}

async function prepareOwnDatabase(client: pg.Client, name: string): Promise<void> {
  const database = pg.escapeIdentifier(name)
  const { rows } = await client.query<{ owner: string }>(
    'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1',
    [name],
  )
  if (!rows[0]) await client.query(`CREATE DATABASE ${database} OWNER ${ownerRole}`)
  else if (rows[0].owner !== ownerRole) await client.query(`ALTER DATABASE ${database} OWNER TO ${ownerRole}`)
}

/**
 * Makes the role the owner of all schemas of other roles and of the objects in them, one transaction for each schema:
 * the locks of thousands of accounts must not be held together. The schema itself changes owner last, so an interrupted
 * start continues with the rest.
 */
async function giveSchemas(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ schema: string }>(
    `SELECT nspname AS schema FROM pg_namespace
    WHERE pg_get_userbyid(nspowner) NOT IN ($1, 'pg_database_owner')
      AND nspname !~ '^pg_' AND nspname <> 'information_schema'`,
    [ownerRole],
  )
  for (const { schema } of rows) {
    await client.query('BEGIN')
    const { rows: statements } = await client.query<{ text: string }>(statementsToGive, [schema, ownerRole])
    for (const { text } of statements) await client.query(text)
    await client.query('COMMIT')
  }
}

// Indexes, sequences of columns, and row and array types follow their table or type.
const statementsToGive = `
  WITH objects AS (
    SELECT 'TABLE ' || c.oid::regclass AS object FROM pg_class c
    WHERE c.relnamespace = $1::text::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT 'SEQUENCE ' || c.oid::regclass FROM pg_class c
    WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'S'
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
    UNION ALL
    SELECT 'TYPE ' || t.oid::regtype FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
    WHERE t.typnamespace = $1::text::regnamespace AND t.typelem = 0 AND (t.typtype IN ('e', 'd', 'r') OR c.relkind = 'c')
    UNION ALL
    SELECT 'ROUTINE ' || p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = $1::text::regnamespace
    UNION ALL
    SELECT 'STATISTICS ' || quote_ident($1) || '.' || quote_ident(s.stxname) FROM pg_statistic_ext s
    WHERE s.stxnamespace = $1::text::regnamespace
  )
  SELECT 'ALTER ' || object || ' OWNER TO ' || quote_ident($2) AS text FROM objects
  UNION ALL SELECT 'ALTER SCHEMA ' || quote_ident($1) || ' OWNER TO ' || quote_ident($2)`

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = openClient(url, 'portico start')
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
