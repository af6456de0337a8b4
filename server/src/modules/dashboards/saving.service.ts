import { contactsApi } from '@portico/contract/contacts'
import { dashboardsApi, type SharedWith } from '@portico/contract/dashboards'
import { type Definition, problemText, readDefinition } from '@portico/contract/dashboards/definition'
import { requireActor } from '#access'
import { changedValues, recordAudit } from '#audit'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { requireWithSaved } from '#saved-filters'
import { withCellIds } from './cell-ids.ts'
import { cellsRefusal, savedCells } from './cells/saved-cells.ts'
import type { Content } from './changes-in-words.ts'
import { sharedWithOf, sharingColumns, toVersion } from './dashboard-on-wire.ts'
import { type DashboardRow, updateDashboardRow } from './dashboards.queries.ts'
import { insertVersion, selectVersions } from './versions.queries.ts'
import type { Viewer } from './viewer.ts'

/**
 * Makes sure that the person may read contacts, under any conditions: cells that they save are shown to others by this
 * right.
 * @throws not_allowed
 */
export function requireContacts({ caller }: Viewer): void {
  const refusal = contactsRefusal(caller)
  if (refusal) throw new AppError(refusal.code, refusal.details, refusal.message)
}

/** Checked before the cells are known: conditions are judged later with the requests of each cell. */
const contactsRefusal = (caller: Viewer['caller']) => caller.refusal(contactsApi.listOffers, null)

/**
 * The call that saves content: of a new dashboard, or (`id`) of a changed one, including a change back to an earlier
 * version.
 */
export type Save = { id: string | null; content: Content }

/**
 * The holder by whose right the cells will be shown: the caller's first identity that alone may read all of them now.
 * The call that saves them must be allowed to the caller, with the names of saved filters replaced by their stages.
 * @throws not_allowed naming a cell
 */
export async function requireSaver(db: Db, viewer: Viewer, { id, content }: Save): Promise<string> {
  const { definition } = content
  const body = { ...content, definition: JSON.stringify(definition) }
  const route = id === null ? dashboardsApi.createDashboard : dashboardsApi.updateDashboard
  await requireWithSaved(db, viewer, route, { params: id === null ? [] : [id], query: {}, body })
  const cells = await savedCells(db, viewer, definition)
  const { holder } = await requireActor(viewer.caller, (actor) => contactsRefusal(actor) ?? cellsRefusal(actor, cells))
  return holder
}

/**
 * Reads the JSON text of a definition sent by a client, and gives each cell an id. Fields are not looked up: each
 * account that shows the dashboard has its own.
 * @throws invalid_input naming row, cell and key
 */
export function definitionOf(text: string): Definition {
  const { definition, problems } = readDefinition(text)
  if (definition) return withCellIds(definition)
  const [first] = problems
  const details = problems.map((problem) => ({ field: 'definition', ...problem }))
  throw new AppError('invalid_input', details, first && problemText(first))
}

/** The saved parts of a stored dashboard. */
export function contentOf(row: DashboardRow): Content {
  return { name: row.name, tags: row.tags, definition: storedDefinition(row), sharedWith: sharedWithOf(row) }
}

/** Reads a stored definition, which the contract validated before it was stored. */
export const storedDefinition = ({ definition }: Pick<DashboardRow, 'definition'>): Definition =>
  JSON.parse(definition) as Definition

/** The sharing in its stored form, independent of the order in which it was sent. */
export function toStored({ paids, aids, users }: SharedWith): SharedWith {
  const sorted = (ids: SharedWith['aids']) => (ids === 'all' ? ids : ids.toSorted((one, other) => one - other))
  const emails = users === 'all' ? users : users.toSorted()
  return { paids: sorted(paids), aids: sorted(aids), users: emails }
}

const savedMeanwhile = 'Someone has saved this dashboard in the meantime.'

/**
 * Makes sure that the caller has changed the current version. If they sent no version, they save over any.
 * @throws newer_version with the current version, who saved it when, and the changes since (newest first)
 */
export async function requireCurrent(
  tx: Db,
  { account }: Viewer,
  { id, version }: DashboardRow,
  changed: number | undefined,
): Promise<void> {
  if (changed === undefined || changed === version) return
  const since = (await selectVersions(tx, account, id, changed)).map(toVersion)
  const [newest] = since
  const [savedBy, savedAt] = [newest?.savedBy ?? '', newest?.savedAt ?? '']
  throw new AppError('newer_version', { version, savedBy, savedAt, changes: since }, savedMeanwhile)
}

/** Writes the next version of a locked dashboard, and an entry in the audit log. */
export async function saveVersion(
  tx: Db,
  viewer: Viewer,
  row: DashboardRow,
  after: Content,
  { action, changes, holder }: { action: string; changes: string; holder: string },
): Promise<void> {
  const { account, actor } = viewer
  const { id } = row
  const { name, tags, sharedWith } = after
  const version = row.version + 1
  await updateDashboardRow(tx, account, id, { name, tags: [...tags], ...sharingColumns(sharedWith), version })
  await addVersion(tx, { ...viewer, holder }, id, { version, content: after, changes })
  await recordAudit(tx, { account, ...actor, action, subject: name, details: { id, version, changes } })
  const shared = changedValues({ sharedWith: sharedWithOf(row) }, { sharedWith })
  if (Object.keys(shared).length === 0) return
  const details = { id, ...shared }
  await recordAudit(tx, { account, ...actor, action: 'dashboard shared', subject: name, details })
}

export const versionsKept = 50

/** The person who saves a version, the holder whose rights it is shown by, and the account. */
export type Author = Pick<Viewer, 'account' | 'actor'> & {
  caller: Pick<Viewer['caller'], 'personId'>
  holder: string | null
}

/** Adds a version. The caller must update the dashboard's own row. */
export async function addVersion(
  tx: Db,
  { account, caller, holder }: Author,
  id: string,
  { version, content, changes }: { version: number; content: Omit<Content, 'sharedWith'>; changes: string },
): Promise<void> {
  const row = {
    dashboard_id: id,
    version,
    name: content.name,
    tags: [...content.tags],
    definition: JSON.stringify(content.definition),
    saved_by: caller.personId,
    holder,
    saved_at: new Date(),
    changes,
  }
  await insertVersion(tx, account, row, versionsKept)
}
