import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FieldValue } from '@portico/contract/contacts'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { compilePipeline, type ContactSource, type FilterField, readSeen, type RowsSummary, type Sql } from '#filters'
import { toWire } from './offers.ts'
import type { JudgedRow, VerdictStatement } from './verdicts.queries.ts'

/** `looksAt`: a name in a `$match` with its test, whose values are wanted too. */
export type JudgedCondition = { pipeline: Pipeline; looksAt: { name: string; test: unknown } | null }

/** `values` are as on the wire: ids as text, moments as ISO 8601; null where the contact has none. */
export type Verdict = {
  isMet: boolean
  values: { field: string; value: FieldValue | null }[]
  events: RowsSummary | null
}

/**
 * The statement that judges conditions on the contact of a scope, and how to read its row. Each condition is compiled
 * as a search for it is: a verdict is what that search would find. Other requests are answered between two conditions.
 * @throws invalid_filter
 */
export async function compileVerdicts(
  { resolve, from }: ReturnType<ContactSource['scope']>,
  judged: readonly JudgedCondition[],
): Promise<{ statement: VerdictStatement; read: (row: JudgedRow) => Verdict[] }> {
  const values: Sql[] = []
  const add = (value: Sql): number => values.push(value) - 1
  const conditions: (Sql | null)[] = []
  const readerOf = ({ pipeline, looksAt }: JudgedCondition) => {
    conditions.push(compilePipeline(writePipeline(pipeline), resolve).where)
    const seen = looksAt && readSeen(looksAt.name, looksAt.test, resolve)
    const fields = (seen?.fields ?? []).map((field): [FilterField, number] => [field, add(field.sql)])
    const summary = seen?.summary ? add(seen.summary) : null
    return (row: readonly unknown[]): Omit<Verdict, 'isMet'> => ({
      values: fields.map(([field, at]) => ({
        field: field.name,
        value: toWire(field, row[at] ?? null) as FieldValue | null,
      })),
      events: summary === null ? null : readSummary(row[summary]),
    })
  }
  const readers: ReturnType<typeof readerOf>[] = []
  for (const condition of judged) {
    await nextTurn()
    readers.push(readerOf(condition))
  }
  return {
    // Last: the fields of the conditions decide which tables are read.
    statement: { from: from(), conditions, values },
    read: (row) => readers.map((reader, at) => ({ isMet: row.verdicts[at] === true, ...reader(row.values) })),
  }
}

/** PostgreSQL writes moments in JSON with the offset of the session's time zone. */
function readSummary(json: unknown): RowsSummary {
  const { latest, ...counts } = json as RowsSummary
  return { ...counts, latest: latest && new Date(latest).toISOString() }
}
