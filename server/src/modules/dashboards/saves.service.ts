import { contactsApi } from '@portico/contract/contacts'
import type { ChangedDashboard, Dashboard, NewDashboard } from '@portico/contract/dashboards'
import { type Definition, problemText, readDefinition } from '@portico/contract/dashboards/definition'
import { recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import {
  countOfAccount,
  type DashboardRow,
  insertDashboard,
  lockDashboard,
  updateDashboard,
} from './dashboards.queries.ts'
import { type Context, getDashboard, requireAuthor } from './dashboards.service.ts'
import { changesInWords } from './definition-changes.ts'
import { requireShareable, toSharedWith, toSharing } from './sharing.service.ts'
import type { Tables } from './tables.ts'
import { insertVersion, selectVersion, selectVersions } from './versions.queries.ts'
import { toVersion } from './versions.service.ts'

/** Dashboards that an account can have. */
const mostDashboards = 1000

/** The definition of a stored dashboard. It was checked when it was saved. */
export function definitionOf({ definition }: Pick<DashboardRow, 'definition'>): Definition {
  const read = readDefinition(definition)
  if (!read.definition)
    throw new Error(`a stored dashboard cannot be read: ${read.problems.map(problemText).join('; ')}`)
  return read.definition
}

/** @throws invalid_input naming row, cell and key; limit_reached; not_allowed without the right to read contacts */
export async function createDashboard(context: Context, draft: NewDashboard): Promise<Dashboard> {
  const { db, account, caller } = context
  requireReader(context)
  const content = toContent(draft, null)
  await requireShareable(context, content.sharing, null)
  if ((await countOfAccount(db, account)) >= mostDashboards) throw new AppError('limit_reached')
  const id = crypto.randomUUID()
  const now = new Date()
  await inTransaction(db, async (tx) => {
    await insertDashboard(tx, account, {
      id,
      author_id: caller.personId,
      ...columnsOf(content),
      version: 1,
      saved_by: caller.personId,
      created_at: now,
      updated_at: now,
    })
    await recordSave(tx, context, { id, version: 1, content, changes: changesInWords(null, content), now })
  })
  return getDashboard(context, id)
}

/**
 * Saves a dashboard as its next version.
 * @throws not_found, not_author, newer_version if `version` is given and not the current one, sharing_changed, invalid_input
 */
export async function changeDashboard(context: Context, id: string, draft: ChangedDashboard): Promise<Dashboard> {
  const row = await requireAuthor(context, id)
  requireReader(context)
  const before = definitionOf(row)
  const content = toContent(draft, before)
  await requireShareable(context, content.sharing, row)
  await save(context, row, content, draft.version)
  return getDashboard(context, id)
}

/** Saves an older version again. Its sharing stays what it is. @throws not_found, not_author, sharing_changed */
export async function restoreVersion(context: Context, id: string, version: number): Promise<Dashboard> {
  const row = await requireAuthor(context, id)
  requireReader(context)
  const old = await selectVersion(context.db, row.account_id, id, version)
  if (!old) throw new AppError('not_found')
  await requireShareable(context, row, row)
  const { name, tags } = old
  const sharing = toSharing(toSharedWith(row))
  await save(
    context,
    row,
    { name, tags, sharing, definition: definitionOf(old) },
    undefined,
    `Restored version ${version}. `,
  )
  return getDashboard(context, id)
}

type Content = {
  name: string
  tags: string[]
  sharing: Pick<Tables['dashboards'], 'shared_parents' | 'shared_accounts' | 'shared_users'>
  definition: Definition
}

async function save(
  context: Context,
  row: DashboardRow,
  content: Content,
  expected: number | undefined,
  note = '',
): Promise<void> {
  const { db, caller } = context
  const now = new Date()
  await inTransaction(db, async (tx) => {
    const locked = await lockDashboard(tx, row.account_id, row.id)
    if (!locked) throw new AppError('not_found')
    if (expected !== undefined && expected !== locked.version) throw await newerVersion(tx, row, expected)
    const version = locked.version + 1
    const before = { ...row, sharing: toSharing(toSharedWith(row)), definition: definitionOf(row) }
    const changes = note + changesInWords(before, content)
    const change = { ...columnsOf(content), version, saved_by: caller.personId, updated_at: now }
    await updateDashboard(tx, row.account_id, row.id, change)
    await recordSave(tx, context, { id: row.id, version, content, changes, now }, row)
  })
}

async function newerVersion(db: Db, { account_id: account, id }: DashboardRow, expected: number): Promise<AppError> {
  const newer = await selectVersions(db, account, id, expected)
  return new AppError('newer_version', newer.map(toVersion))
}

const columnsOf = ({ name, tags, sharing, definition }: Content) => ({
  name,
  tags,
  ...sharing,
  definition: JSON.stringify(definition),
})

type Save = { id: string; version: number; content: Content; changes: string; now: Date }

async function recordSave(
  tx: Db,
  { account, caller, actor }: Context,
  { id, version, content, changes, now }: Save,
  before?: DashboardRow,
): Promise<void> {
  const home = before?.account_id ?? account
  const { name, tags } = content
  const definition = JSON.stringify(content.definition)
  await insertVersion(tx, home, {
    dashboard_id: id,
    version,
    name,
    tags,
    definition,
    saved_by: caller.email,
    saved_at: now,
    changes,
  })
  const details = { id, version, changes, sharedWith: toSharedWith(content.sharing) }
  const action = before ? 'dashboard changed' : 'dashboard created'
  await recordAudit(tx, { account: home, ...actor, action, subject: name, details })
}

/** Building a dashboard asks anything of the contacts, so the caller must be allowed to read them. */
function requireReader({ caller }: Context): void {
  const refusal = caller.refusal(contactsApi.listOffers.access, { params: {}, query: {}, body: undefined })
  if (refusal) throw new AppError(refusal.code, refusal.details, refusal.message)
}

function toContent({ name, tags, sharedWith, definition }: NewDashboard, before: Definition | null): Content {
  const read = readDefinition(definition)
  if (!read.definition) {
    const [first] = read.problems
    const details = read.problems.map((problem) => ({ field: 'definition', ...problem, message: problemText(problem) }))
    throw new AppError('invalid_input', details, first ? problemText(first) : undefined)
  }
  return {
    name,
    tags: [...new Set(tags)],
    sharing: toSharing(sharedWith),
    definition: withIds(read.definition, before),
  }
}

/** Gives ids to cells that have none, one that repeats, or one that the dashboard has not given out. */
function withIds(definition: Definition, before: Definition | null): Definition {
  const known = new Set(before?.layout.flat().map(({ id }) => id))
  const taken = new Set<string>()
  const idOf = (id: string): string => {
    const isOwn = (known.has(id) || /^[\w-]{1,36}$/.test(id)) && !taken.has(id)
    const own = isOwn ? id : crypto.randomUUID().slice(0, 8)
    taken.add(own)
    return own
  }
  return { ...definition, layout: definition.layout.map((row) => row.map((cell) => ({ ...cell, id: idOf(cell.id) }))) }
}
