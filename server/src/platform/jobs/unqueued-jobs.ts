import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Database, type Db } from '../database.ts'
import type { Logger } from '../log.ts'
import type { JobKind, JobRows, Jobs } from './jobs.ts'

type Deps = { database: Database; jobs: Jobs; log: Logger }

/** A row that has not ended, and the kind and data of the job that runs it. */
type Unended = { kind: JobKind; data: object; dueAt: Date | null }

/**
 * Enqueues a job for each row of these accounts that has not ended and has no job: it would wait forever, and others
 * for it. Safe to repeat, even concurrently: a job whose row has ended does nothing. Returns how many were enqueued.
 */
export async function queueUnqueued(
  { database: { db }, jobs, log }: Deps,
  kinds: readonly JobKind[],
  accounts: readonly AccountId[],
  signal?: AbortSignal,
): Promise<number> {
  const unended: Unended[] = []
  for (const account of accounts) {
    if (signal?.aborted) return 0
    try {
      unended.push(...(await selectUnended(db, kinds, account)))
    } catch (error) {
      // The account's server may be down: the next run tries again.
      log.warn({ err: error, account }, 'rows without a job were not looked for')
    }
  }
  // Read after the rows, because each row was inserted together with its job.
  const queued = await selectQueued(db, [...new Set(unended.map(({ kind }) => kind.name))])
  const lost = unended.filter(({ kind, data }) => !queued.has(keyOf(kind.name, data)))
  for (const { kind, data, dueAt } of lost) {
    log.warn({ job: kind.name, data }, 'a job that the queue had lost is queued again')
    await jobs.enqueue(db, kind, data, dueAt ? { notBefore: dueAt } : {})
  }
  return lost.length
}

async function selectUnended(db: Db, kinds: readonly JobKind[], account: AccountId): Promise<Unended[]> {
  const sources = kinds.flatMap((kind) => kind.rows.map((rows) => ({ kind, ...rows })))
  const selected = sources.map(
    ({ table, unended: condition = byStatus, dueAt }, source) => sql`
      SELECT ${sql.lit(source)} AS source, id::text AS id,
        ${dueAt === undefined ? sql`NULL::timestamptz` : sql.id(dueAt)} AS "dueAt"
      FROM ${accountTable(account, table)} WHERE ${condition}`,
  )
  // One statement for all tables of an account, of which there are thousands. By length first, text sorts like numbers.
  const { rows } = await sql<{ source: number; id: string; dueAt: Date | null }>`
    SELECT * FROM (${sql.join(selected, sql` UNION ALL `)}) AS unended ORDER BY source, length(id), id`.execute(db)
  return rows.flatMap(({ source, id, dueAt }) => {
    const { kind, data } = sources[source] ?? {}
    return kind && data ? [{ kind, data: { account, ...data(id) }, dueAt }] : []
  })
}

const byStatus: NonNullable<JobRows['unended']> = sql`status NOT IN ('completed', 'rejected')`

/** Returns the jobs of these kinds that wait, run or are retried. */
async function selectQueued(db: Db, names: readonly string[]): Promise<Set<string>> {
  const queued = new Set<string>()
  for (const name of names) {
    const { rows } = await sql<{ data: object }>`
      SELECT data FROM jobs.job WHERE name = ${name} AND state < 'completed'`.execute(db)
    for (const { data } of rows) queued.add(keyOf(name, data))
  }
  return queued
}

/** The same key for equal data, regardless of the order of properties and of what earlier jobs of the row have done. */
function keyOf(name: string, data: object): string {
  const named = Object.entries(data).filter(([property]) => property !== 'progress')
  const parts = named.map(([property, value]) => `${property}=${JSON.stringify(value)}`)
  return [name, ...parts.toSorted()].join(' ')
}
