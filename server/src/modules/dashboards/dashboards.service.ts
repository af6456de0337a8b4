import type { ChangedDashboard, Dashboard, dashboardsApi, NewDashboard } from '@portico/contract/dashboards'
import type { Input } from '@portico/contract/route'
import { recordAudit } from '#audit'
import { requireRoom } from '#platform/account-limits.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { changesInWords, type Content } from './changes-in-words.ts'
import { sharedWithOf, sharingColumns, toDashboard } from './dashboard-on-wire.ts'
import {
  countDashboards,
  countOwnDashboards,
  deleteDashboardRow,
  deleteFavourite,
  insertDashboard,
  insertFavourite,
  selectDashboards,
  updateDashboardRow,
  withDashboardsLocked,
} from './dashboards.queries.ts'
import { dashboardViewerOf, requireDashboard, requireLeft, requireOwn } from './found-dashboard.ts'
import {
  addVersion,
  type Author,
  contentOf,
  definitionOf,
  requireContacts,
  requireCurrent,
  requireSaver,
  saveVersion,
  toStored,
} from './saving.service.ts'
import { requireSharable, requireSharableNow } from './sharing.service.ts'
import { requirePerson, type Viewer } from './viewer.ts'

/** For all definitions in one list: a thousand of the largest would not fit into memory. */
const mostListedBytes = 20_000_000

/** The dashboards that the caller sees in the account, by name. */
export async function listDashboards(
  db: Db,
  viewer: Viewer,
  { find = '', tag, definition, limit, skip }: Input<typeof dashboardsApi.listDashboards>,
): Promise<Dashboard[]> {
  const definitionBytes = definition === 'true' ? mostListedBytes : 0
  const options = { find, tag: tag ?? null, definitionBytes, limit, skip }
  const rows = await selectDashboards(db, viewer.account, dashboardViewerOf(viewer), options)
  return rows.map((row) => toDashboard(row, viewer))
}

/** @throws not_found */
export async function getDashboard(db: Db, viewer: Viewer, id: string): Promise<Dashboard> {
  return toDashboard(await requireDashboard(db, viewer, id), viewer)
}

/**
 * Creates a dashboard with the caller as its author.
 * @throws not_allowed, invalid_input naming row, cell and key, sharing_changed, limit_reached
 */
export async function createDashboard(db: Db, viewer: Viewer, draft: NewDashboard): Promise<Dashboard> {
  requirePerson(viewer)
  requireContacts(viewer)
  const { name, tags, definition: text } = draft
  const sharedWith = toStored(draft.sharedWith)
  const definition = definitionOf(text)
  const { account } = viewer
  const content = { name, tags, sharedWith, definition }
  const author = { ...viewer, holder: await requireSaver(db, viewer, { id: null, content }) }
  return withDashboardsLocked(db, account, async (tx) => {
    await requireSharable(tx, viewer, sharedWith, null)
    requireRoom('dashboards', await countOwnDashboards(tx, account))
    return getDashboard(tx, viewer, await addDashboard(tx, author, content))
  })
}

/** Adds a dashboard in the transaction `tx`, and returns its id. The caller must have checked it. */
async function addDashboard(tx: Db, author: Author, content: Content): Promise<string> {
  const { account, caller, actor } = author
  const { name, tags, sharedWith } = content
  const id = crypto.randomUUID()
  const columns = { name, tags: [...tags], ...sharingColumns(sharedWith), version: 1 }
  await insertDashboard(tx, account, { id, author_id: caller.personId, ...columns, created_at: new Date() })
  await addVersion(tx, author, id, { version: 1, content, changes: 'Created.' })
  const details = { id, tags, sharedWith }
  await recordAudit(tx, { account, ...actor, action: 'dashboard created', subject: name, details })
  return id
}

/**
 * Creates dashboards for a person who did not request them, such as one of the demo, shared with all people in the
 * account. The first becomes a favorite of `fans`. Does nothing in an account that already has dashboards.
 */
export async function seedDashboards(
  db: Db,
  author: Author,
  drafts: readonly Pick<NewDashboard, 'name' | 'tags' | 'definition'>[],
  fans: readonly { id: string; email: string }[],
): Promise<void> {
  const { account } = author
  await withDashboardsLocked(db, account, async (tx) => {
    if ((await countOwnDashboards(tx, account)) > 0) return
    for (const [at, { name, tags, definition }] of drafts.entries()) {
      const sharedWith = { paids: 'all' as const, aids: [account], users: 'all' as const }
      const id = await addDashboard(tx, author, { name, tags, sharedWith, definition: definitionOf(definition) })
      for (const { id: personId, email } of at === 0 ? fans : []) {
        await insertFavourite(tx, account, { personId, email, isAdministrator: false }, id)
      }
    }
  })
}

/**
 * Saves a dashboard as its next version.
 * @throws not_found, not_author, not_allowed, newer_version with the changes since, sharing_changed, invalid_input
 * naming row, cell and key
 */
export async function updateDashboard(db: Db, viewer: Viewer, id: string, draft: ChangedDashboard): Promise<Dashboard> {
  const definition = definitionOf(draft.definition)
  return inTransaction(db, async (tx) => {
    const row = await requireOwn(tx, viewer, id)
    requireContacts(viewer)
    await requireCurrent(tx, viewer, row, draft.version)
    const before = contentOf(row)
    const { name, tags } = draft
    const after = { name, tags, definition, sharedWith: toStored(draft.sharedWith) }
    await requireSharable(tx, viewer, after.sharedWith, before.sharedWith)
    const holder = await requireSaver(tx, viewer, { id, content: after })
    const changes = changesInWords(before, after)
    await saveVersion(tx, viewer, row, after, { action: 'dashboard changed', changes, holder })
    return getDashboard(tx, viewer, id)
  })
}

/** @throws not_found, not_author, only_dashboard if the caller sees no other dashboard in the account */
export async function deleteDashboard(db: Db, viewer: Viewer, id: string): Promise<void> {
  const { account, actor } = viewer
  await withDashboardsLocked(db, account, async (tx) => {
    const row = await requireOwn(tx, viewer, id)
    if ((await countDashboards(tx, account, dashboardViewerOf(viewer))) <= 1) throw new AppError('only_dashboard')
    await deleteDashboardRow(tx, account, id)
    const details = { id, sharedWith: sharedWithOf(row) }
    await recordAudit(tx, { account, ...actor, action: 'dashboard deleted', subject: row.name, details })
  })
}

/**
 * Makes the caller the author of a dashboard whose author has left the account. Its cells and its sharing stay, so they
 * must be able to share it as it is.
 * @throws not_found, not_author, not_allowed
 */
export async function takeOverDashboard(db: Db, viewer: Viewer, id: string): Promise<Dashboard> {
  requirePerson(viewer)
  const { account, actor, caller } = viewer
  return inTransaction(db, async (tx) => {
    const row = await requireLeft(tx, viewer, id)
    await requireSharableNow(tx, viewer, sharedWithOf(row))
    await updateDashboardRow(tx, account, id, { author_id: caller.personId })
    const details = { id, from: row.author }
    await recordAudit(tx, { account, ...actor, action: 'dashboard taken over', subject: row.name, details })
    return getDashboard(tx, viewer, id)
  })
}

/**
 * Marks a dashboard as a favorite of the caller only, in every account where they see it.
 * @throws not_found
 */
export async function setFavourite(db: Db, viewer: Viewer, id: string, isFavourite: boolean): Promise<Dashboard> {
  requirePerson(viewer)
  await requireDashboard(db, viewer, id)
  const write = isFavourite ? insertFavourite : deleteFavourite
  await write(db, viewer.account, dashboardViewerOf(viewer, id), id)
  return getDashboard(db, viewer, id)
}
