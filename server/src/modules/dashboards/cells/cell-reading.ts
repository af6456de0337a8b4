import { createHash } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import { kpiTemplateOf } from '@portico/contract/dashboards/cell-kinds'
import type { Definition } from '@portico/contract/dashboards/definition'
import type { Stages } from '@portico/contract/filter'
import type { Database } from '#platform/database.ts'
import type { AccountFacts } from '#platform/http/context.ts'
import { openContactReader } from '#search'
import { AnswerMemory, type Remembered } from './answer-memory.ts'
import { type Asked, type Asking, factsOf } from './cell-plan.ts'
import { type CellPart, type CellStages, readCell, type Rows } from './cell-rows.ts'
import { Turns } from './turns.ts'

// Reads the rows that a cell may ask for when it is its turn, and remembers them.

/** The services that answer cells in one process: the remembered answers, and a share of the connections. */
export type Cells = {
  database: Database
  memory: AnswerMemory<Rows>
  /** By dashboard and version. */
  definitions: AnswerMemory<Definition>
  turns: Turns
}

// Of the twenty connections for reading; the rest are left to searches.
const places = { all: 8, person: 5, account: 6, family: 7 }
const memoryBytes = 64 * 1024 * 1024
const definitionBytes = 8 * 1024 * 1024
/** How long an answer may lack single events, which do not change a version. */
const eventsLateMs = 60_000

export function openCells(database: Database): Cells {
  const bytesOf = (value: object): number => 2 * JSON.stringify(value).length
  return {
    database,
    memory: new AnswerMemory<Rows>(memoryBytes, bytesOf),
    definitions: new AnswerMemory<Definition>(definitionBytes, bytesOf),
    turns: new Turns(places),
  }
}

/** The stages of a cell, and the contacts that they may read; null for all contacts. */
export type Readable = { stages: CellStages; visible: Stages | null }

/** The rows of a cell, from memory while they are up to date. */
export function readRemembered(
  cells: Cells,
  asking: Asking,
  { chart, part }: Pick<Asked, 'chart' | 'part'>,
  { stages, visible }: Readable,
): Promise<Remembered<Rows>> {
  const facts = factsOf(asking.caller)
  const wanted = wantedOf(part)
  const key = keyOf(asking.account, facts, [chart.type, kpiTemplateOf(chart), chart.filter, stages, wanted, visible])
  const from = Date.now()
  return cells.memory.answer(
    key,
    { signal: asking.signal, holds: (known) => !part.refresh && isFresh(known, facts, from) },
    (signal) => readOnce(cells, { ...asking, signal }, { chart, part }, { stages, visible }),
  )
}

/** The rows of a cell without remembering them: pages of a report are read once. */
export function readOnce(
  { turns }: Cells,
  { db, snapshot, signal, account, caller }: Asking,
  { chart, part }: Pick<Asked, 'chart' | 'part'>,
  { stages, visible }: Readable,
): Promise<Rows> {
  const contacts = openContactReader({ db, snapshot, signal, facts: factsOf(caller), rows: visible }, account)
  const beneficiary = { person: caller.personId, account }
  return turns.take(beneficiary, signal, () => readCell(chart, stages, wantedOf(part), contacts))
}

const wantedOf = ({ search, sort, skip, limit, groups, among }: Asked['part']): CellPart => ({
  search,
  sort,
  skip,
  ...(limit !== undefined && { limit }),
  ...(groups !== undefined && { groups }),
  ...(among && { among }),
})

/** An answer is valid as long as its version; while single events arrive, only for a limited time. */
function isFresh({ at }: Remembered<Rows>, { eventsUntil }: AccountFacts, now: number): boolean {
  const hasMissedNone = eventsUntil === null || at >= eventsUntil
  return hasMissedNone || now - at.getTime() < eventsLateMs
}

/** Remembered answers never reach another account, and never outlive a change of its fields, time zone or contacts. */
function keyOf(account: AccountId, facts: AccountFacts, question: unknown[]): string {
  const { timeZone, fieldsVersion, contactsVersion } = facts
  const text = JSON.stringify([account, timeZone, fieldsVersion, contactsVersion, ...question])
  return createHash('sha256').update(text).digest('base64')
}
