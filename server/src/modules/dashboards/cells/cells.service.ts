import { createHash } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import type { CellAnswer, CellPreview, CellQuestion } from '@portico/contract/dashboards'
import type { CellChart, CellFilter } from '@portico/contract/dashboards/cell-chart'
import { kpiTemplateOf, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { todayIn } from '@portico/contract/dashboards/days'
import type { Definition } from '@portico/contract/dashboards/definition'
import { type KnownField, readGrouping, readRowKind } from '@portico/domain/pipeline/grouping'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { chartOf, parseFilter, type Surroundings } from '@portico/contract/dashboards/dashboard-cells'
import { narrow, narrowToPeriodBefore } from '@portico/contract/dashboards/narrowing'
import type { Stages } from '@portico/contract/filter'
import { foldName } from '@portico/contract/names'
import type { OffsetWindow } from '@portico/contract/scheduler/window-condition'
import { listContactFields } from '#contacts'
import type { Saver, StoredCell } from '#credentials'
import type { Beneficiary } from '#platform/waits/shares.ts'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { AccountContext, AccountFacts } from '#platform/http/context.ts'
import { ruleOf } from '#platform/storage.ts'
import { UsedFilters } from '#saved-filters'
import { listOffers } from '#search'
import { AnswerMemory, type Remembered } from './answer-memory.ts'
import { cellFailed, offersCalls, offersRequests, requireReadable } from './cell-access.ts'
import { type AskContacts, type CellPart, type CellStages, readCell } from './cell-rows.ts'
import { requireChosenRanges, requireDateField, requireWindow } from './chosen-ranges.ts'
import { type ReadShown, requireShown } from './shown-groups.ts'
import { Turns } from './turns.ts'

/** A dashboard as it is stored, and whose rights its cells are read with. */
export type StoredDashboard = { definition: Definition; version: number; saver: Saver }

/** `address` is null for a report, which is read at no place. */
export type Asking = Pick<AccountContext, 'db' | 'signal' | 'account' | 'caller' | 'rows'> & { address: string | null }
type Rows = Omit<CellAnswer, 'asOf' | 'fields'>

/** The parts that answer cells in one process: its memory, and its share of the connections. */
export type Cells = {
  database: Database
  memory: AnswerMemory<Rows>
  /** By dashboard and version. */
  definitions: AnswerMemory<Definition>
  turns: Turns
}

// Of the twenty connections for reading: searches keep the others.
const places = { all: 8, person: 5, account: 6 }
const memoryBytes = 64 * 1024 * 1024
const definitionBytes = 8 * 1024 * 1024
/** How long an answer may lack single events, which no version counts. */
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

/**
 * Reads a cell of a stored dashboard, narrowed by what the viewer has chosen in others. The request chooses among what
 * the definition shows; it can ask nothing else.
 * @throws not_found, newer_version, cell_failed saying why the cell cannot be shown, timed_out, invalid_input
 */
export async function answerCell(
  cells: Cells,
  asking: Asking,
  dashboard: StoredDashboard,
  question: CellQuestion & { cell: string },
): Promise<CellAnswer> {
  const { definition, version, saver } = dashboard
  if (question.version !== version) throw new AppError('newer_version')
  const chart = chartOf(definition, question.cell)
  if (!chart) throw new AppError('not_found')
  const { clicks, choices, ranges } = question
  const around = await surroundingsOf(asking, definition, { clicks, choices, ranges })
  requireChosenRanges(around)
  return answer(cells, asking, { chart, target: question.cell, around, saver, part: question })
}

/** Reads a cell that the caller is editing, as it would be shown before anything is chosen. */
export async function previewCell(cells: Cells, asking: Asking, preview: CellPreview): Promise<CellAnswer> {
  const target = 'preview'
  const definition: Definition = {
    layout: [[{ id: target, cols: 12, chart: preview.chart }]],
    originalFiltersSaved: false,
    resetFilters: false,
  }
  const around = await surroundingsOf(asking, definition, noInteraction)
  return answer(cells, asking, {
    chart: preview.chart,
    target,
    around,
    saver: null,
    part: { ...preview, refresh: false },
  })
}

export async function surroundingsOf(
  { db, account, caller }: Pick<Asking, 'db' | 'account' | 'caller'>,
  definition: Definition,
  interaction: Surroundings['interaction'],
  window?: OffsetWindow,
): Promise<Surroundings> {
  const { timeZone, fieldsVersion } = factsOf(caller)
  const fields = await listContactFields(db, account, fieldsVersion)
  return { definition, interaction, fields, today: todayIn(timeZone), window }
}

function factsOf({ facts }: { facts: AccountFacts | null }): AccountFacts {
  if (!facts) throw new Error('A cell needs an account.')
  return facts
}

export type Asked = {
  chart: CellChart
  target: string
  around: Surroundings
  /** Null for the caller's own question, which only their own rights allow. */
  saver: Saver | null
  part: Pick<CellQuestion, 'search' | 'sort' | 'skip' | 'limit' | 'refresh'> & Pick<CellPart, 'groups' | 'among'>
  /** Of a report: stages that choose among all contacts first. Its answers are not remembered. */
  further?: Stages
  /** Takes down how the cell was allowed to be read, before it is. */
  onRead?: (reading: Pick<StoredCell, 'searches' | 'saver' | 'rule'>) => void
}

export async function answer(cells: Cells, asking: Asking, asked: Asked): Promise<CellAnswer> {
  const { chart, target, around, saver } = asked
  requireDateField(chart, around.fields)
  try {
    const used = new UsedFilters()
    const stages = await stagesOf(asking, asked, used)
    const requests = offersRequests(chart, stages, asked.part.sort)
    const use = { saver, used, forOthers: asked.further !== undefined }
    const { right, rows: visible } = await requireReadable(cells.database, asking, use, requests)
    const searches = offersCalls(chart, stages, asked.part.sort)
    asked.onRead?.({ searches, saver: saver?.holder ?? null, ...ruleOf(visible) })
    // Those who may read these contacts themselves could ask for any group of them.
    if (right === 'of author') {
      requireNothingFurther(asked)
      requireWindow(around)
      await requireShown(target, around, readShown(cells, asking, asked))
    }
    if (asked.further) return await answerOnce(cells, asking, asked, { stages, visible })
    const remembered = await readRemembered(cells, asking, asked, { stages, visible })
    const rows = givenTo(asking.caller, stages.filter, remembered.value)
    return { ...rows, fields: fieldsOf(chart, stages.filter, around.fields), asOf: remembered.at.toISOString() }
  } catch (error) {
    throw toCellError(error)
  }
}

/** The author of a report may not choose among contacts by the right of the dashboard's author. @throws cell_failed */
function requireNothingFurther({ further = [] }: Asked): void {
  if (further.length === 0) return
  throw cellFailed('Only those who may search for all that it shows can narrow it by a saved filter.')
}

function readRemembered(
  { memory, turns }: Cells,
  asking: Asking,
  { chart, part }: Pick<Asked, 'chart' | 'part'>,
  { stages, visible }: Readable,
): Promise<Remembered<Rows>> {
  const facts = factsOf(asking.caller)
  const { search, sort, skip, limit, among } = part
  const wanted = { search, sort, skip, ...(limit !== undefined && { limit }), ...(among && { among }) }
  const key = keyOf(asking.account, facts, [chart.type, kpiTemplateOf(chart), chart.filter, stages, wanted, visible])
  const from = Date.now()
  return memory.answer(
    key,
    { signal: asking.signal, holds: (known) => !part.refresh && isFresh(known, facts, from) },
    (signal) =>
      turns.take(partyOf(asking), signal, () =>
        readCell(chart, stages, wanted, askContacts({ db: asking.db, signal, facts, rows: visible }, asking.account)),
      ),
  )
}

const partyOf = ({ caller, account }: Asking): Beneficiary => ({ person: caller.personId, account })

/** Reads other cells of the dashboard as the viewer sees them, for what was chosen in them. */
function readShown(cells: Cells, asking: Asking, { around, saver }: Asked): ReadShown {
  return async (cell, interaction, among) => {
    const chart = chartOf(around.definition, cell)
    if (!chart) return nothingShown
    const whole = { search: '', sort: {}, skip: 0, refresh: false }
    const part = among ? { ...whole, among: among.values, limit: among.values.length + 1 } : whole
    try {
      const used = new UsedFilters()
      const stages = await stagesOf(asking, { chart, target: cell, around: { ...around, interaction } }, used)
      const requests = offersRequests(chart, stages)
      const use = { saver, used, forOthers: false }
      const { rows: visible } = await requireReadable(cells.database, asking, use, requests)
      const listsAll = stages.filter.at(-1)?.kind === 'group'
      const read = among && listsAll ? { ...stages, filter: among.narrowed(stages.filter) } : stages
      const { rows, total } = (await readRemembered(cells, asking, { chart, part }, { stages: read, visible })).value
      return { rows, isWhole: listsAll && rows.length === total }
    } catch (error) {
      // A cell that cannot be shown shows no groups.
      if (error instanceof AppError && ['cell_failed', 'invalid_filter'].includes(error.code)) return nothingShown
      throw error
    }
  }
}

const nothingShown = { rows: [], isWhole: false }

/** Reads without remembering: pages of a report are read once. */
async function answerOnce(
  cells: Cells,
  asking: Asking,
  { chart, part, around }: Asked,
  { stages, visible }: Readable,
): Promise<CellAnswer> {
  const { search, sort, skip, limit, groups } = part
  const wanted = { search, sort, skip, ...(limit !== undefined && { limit }), ...(groups !== undefined && { groups }) }
  const { db, signal, account, caller } = asking
  const ask = askContacts({ db, signal, facts: factsOf(caller), rows: visible }, account)
  const rows = await cells.turns.take(partyOf(asking), asking.signal, () => readCell(chart, stages, wanted, ask))
  return { ...rows, fields: fieldsOf(chart, stages.filter, around.fields), asOf: new Date().toISOString() }
}

/** The fields that the cell shows: keys of its groups, and columns. */
function fieldsOf({ filter }: CellChart, stages: Pipeline, fields: readonly KnownField[]): KnownField[] {
  const keys = readGrouping(stages, fields)?.keys.map(({ field }) => field) ?? []
  const shown = new Set([...keys, ...(filter?.columns ?? [])].map(foldName))
  return fields.filter(({ name }) => shown.has(foldName(name))).map(({ name, type }) => ({ name, type }))
}

/** Ids of contacts open them, so they are for those who may read contacts themselves. */
function givenTo({ can }: Asking['caller'], stages: Pipeline, rows: Rows): Rows {
  if (readRowKind(stages) === 'groups') return rows
  const opens = (id: unknown) => can(contactsApi.getOffer.access, { params: [id], query: {}, body: undefined })
  const withoutId = ({ _id, ...row }: Rows['rows'][number]) => row
  return { ...rows, rows: rows.rows.map((row) => (opens(row._id) ? row : withoutId(row))) }
}

/** An answer holds as long as its version; beside single events, for a while only. */
function isFresh({ at }: Remembered<Rows>, { eventsUntil }: AccountFacts, now: number): boolean {
  const hasMissedNone = eventsUntil === null || at >= eventsUntil
  return hasMissedNone || now - at.getTime() < eventsLateMs
}

/** Remembered answers never reach another account, nor outlive a change of its fields, its time zone or its contacts. */
function keyOf(account: AccountId, facts: AccountFacts, question: unknown[]): string {
  const { timeZone, fieldsVersion, contactsVersion } = facts
  const text = JSON.stringify([account, timeZone, fieldsVersion, contactsVersion, ...question])
  return createHash('sha256').update(text).digest('base64')
}

/** The stages that a cell asks for, with those of the saved filters that it uses, which are noted in `used`. */
export async function stagesOf(
  { db, account }: Pick<Asking, 'db' | 'account'>,
  { chart, target, around, further = [] }: Pick<Asked, 'chart' | 'target' | 'around' | 'further'>,
  used: UsedFilters,
): Promise<CellStages> {
  const expand = async (stages: Stages): Promise<Pipeline> => parsePipeline(await used.expand(db, account, stages))
  const expanded = (filter: CellFilter | undefined): Promise<Pipeline> =>
    expand(filter ? writePipeline(parseFilter(filter)) : [])
  const own = [...(await expand(further)), ...(await expanded(chart.filter))]
  const before = (stages: Pipeline): Pipeline | null =>
    chart.type === 'KPI' ? narrowToPeriodBefore(target, stages, around) : null
  const previous = kpiTemplateOf(chart) === 'kpi-1' ? null : before(own)
  if (chart.type !== 'KPI' || kpiTemplateOf(chart) !== ratioTemplate) {
    return { filter: narrow(target, own, around), ...(previous && { previous }) }
  }
  const divisor = await expanded(chart.filter2)
  const previous2 = before(divisor)
  return {
    filter: narrow(target, own, around),
    filter2: narrow(target, divisor, around),
    ...(previous && { previous }),
    ...(previous2 && { previous2 }),
  }
}

/** The stages of a cell, and the contacts that they may read; null for all. */
type Readable = { stages: CellStages; visible: Stages | null }

/** The error of one cell: the rest of the dashboard works. */
function toCellError(error: unknown): unknown {
  if (!(error instanceof AppError) || !['invalid_filter', 'row_rule_invalid'].includes(error.code)) return error
  return new AppError('cell_failed', undefined, error.message)
}

/** Contacts by filters; rows of pipelines by all their stages. */
function askContacts(reader: Parameters<typeof listOffers>[0], account: AccountId): AskContacts {
  const asked = (pipeline: Pipeline) => {
    const stages = writePipeline(pipeline)
    return pipeline.every(({ kind }) => kind === 'match') ? { find: stages } : { aggregate: stages }
  }
  return {
    async rows(stages, { limit, skip = 0, sort, columns }) {
      const select = columns?.map((name) => `"${name.replaceAll('"', '""')}"`).join(' ')
      const query = { ...asked(stages), limit, skip, ...(sort && { sort }), ...(select !== undefined && { select }) }
      const rows = await listOffers(reader, account, query).catch((error: unknown) => {
        throw toColumnError(error)
      })
      return Array.isArray(rows) ? rows : []
    },
    async count(stages) {
      const counted = await listOffers(reader, account, { ...asked(stages), limit: 1, skip: 0, count: '' })
      return Array.isArray(counted) || counted.count === null ? 0 : counted.count
    },
  }
}

/** A column of the cell that the account lacks is an error of the cell, not of the request. */
function toColumnError(error: unknown): unknown {
  return error instanceof AppError && error.code === 'invalid_input'
    ? new AppError('cell_failed', undefined, error.message.replace(/^select: /, ''))
    : error
}
