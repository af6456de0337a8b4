import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import {
  countedDays,
  listedNights,
  listedQueryLength,
  type Segment,
  type SegmentEntry,
  type SegmentUse,
} from '@portico/contract/segments'
import { addDays, todayIn } from '@portico/domain/days'
import { accountTimeZone } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { isUuid } from '#platform/ids.ts'
import type { FilterUses } from '#platform/rows/filter-uses.ts'
import { type DescribedFilter, selectDescribed } from '#saved-filters'
import { type NightlyCount, selectCounts } from './counts.queries.ts'
import { deleteFavourite, insertFavourite, selectFavourites } from './favourites.queries.ts'
import { type CountedUses, countUses, type NamingItem, selectUses } from './uses.queries.ts'

type Asking = { db: Db; caller: Caller; uses: readonly FilterUses[] }

/** The segments that the account can see, by name. */
export async function listSegments(asking: Asking, account: AccountId): Promise<SegmentEntry[]> {
  const rows = await selectDescribed(asking.db, account, { longest: listedQueryLength })
  const ids = rows.map(({ id }) => id)
  const counted: CountedUses[] = []
  for (const source of asking.uses) counted.push(...(await countUses(asking.db, account, source, ids)))
  const more = await readMore(asking, account, { days: listedNights, counted })
  return rows.map((row) => toEntry(account, row, more))
}

/** @throws not_found, also for a filter of the parent account that is not shown here */
export async function getSegment(asking: Asking, account: AccountId, id: string): Promise<Segment> {
  const [row] = isUuid(id) ? await selectDescribed(asking.db, account, { id, longest: null }) : []
  if (!row) throw new AppError('not_found')
  const items: NamingItem[] = []
  for (const source of asking.uses) items.push(...(await selectUses(asking.db, account, source, id)))
  const counted = items.map(({ kind, usedAt }) => ({ segment: id, kind, items: 1, usedAt }))
  const more = await readMore(asking, account, { days: countedDays, counted, id })
  const usedBy = items.map((item) => toUse(asking.caller, item))
  return { ...toEntry(account, row, more), aggregateQuery: row.query ?? '', usedBy }
}

/** Marks a segment as a favourite of the caller only. @throws not_found; not_allowed for a service identity */
export async function setFavourite(
  { db, caller }: Pick<Asking, 'db' | 'caller'>,
  account: AccountId,
  id: string,
  isFavourite: boolean,
): Promise<void> {
  const [row] = isUuid(id) ? await selectDescribed(db, account, { id, longest: 0 }) : []
  if (!row) throw new AppError('not_found')
  if (caller.isService) throw new AppError('not_allowed', undefined, 'A service identity has no favourites.')
  await (isFavourite ? insertFavourite : deleteFavourite)(db, account, caller.personId, id)
}

/** Facts about segments besides their filters, by their ids. */
type More = {
  favourites: Set<string>
  uses: Map<string, CountedUses[]>
  /** Null for a caller who may not see the counts. */
  nights: Map<string, NightlyCount[]> | null
}

async function readMore(
  { db, caller }: Asking,
  account: AccountId,
  { days, counted, id }: { days: number; counted: readonly CountedUses[]; id?: string },
): Promise<More> {
  const favourites = caller.isService ? new Set<string>() : await selectFavourites(db, account, caller.personId)
  const uses = Map.groupBy(counted, ({ segment }) => segment)
  if (!maySeeCounts(caller)) return { favourites, uses, nights: null }
  const since = addDays(todayIn(await accountTimeZone(db, account)), -days)
  const counts = await selectCounts(db, account, { since, ...(id !== undefined && { id }) })
  return { favourites, uses, nights: Map.groupBy(counts, ({ filterId }) => filterId) }
}

/** Stored counts are of all contacts, and do not say which conditions would be judged: they need a right without any. */
const maySeeCounts = ({ can, rows }: Caller): boolean =>
  can(contactsApi.listOffers.access, 'any') && rows(contactsApi.listOffers, 'any') === null

function toEntry(account: AccountId, row: DescribedFilter, { favourites, uses, nights }: More): SegmentEntry {
  const named = uses.get(row.id) ?? []
  const isOwn = row.account_id === account
  const used = named.flatMap(({ usedAt }) => usedAt ?? []).toSorted((one, other) => other.getTime() - one.getTime())
  return {
    _id: row.id,
    version: row.version,
    name: row.name,
    showInSubaccounts: row.show_in_subaccounts,
    isOwn,
    aggregateQuery: row.query,
    creator: isOwn ? row.creator : null,
    createdAt: row.created_at.toISOString(),
    changedAt: row.updated_at.toISOString(),
    isFavourite: favourites.has(row.id),
    uses: [...Map.groupBy(named, ({ kind }) => kind)].map(([kind, all]) => ({
      kind,
      items: all.reduce((sum, { items }) => sum + items, 0),
    })),
    lastUsedAt: used[0]?.toISOString() ?? null,
    nights: nights && (nights.get(row.id) ?? []),
  }
}

/** The name is for administrators: others may not see what it names. */
const toUse = ({ isPowerUser, isPowerAdmin }: Caller, { kind, id, name }: NamingItem): SegmentUse => ({
  kind,
  id,
  name: isPowerUser || isPowerAdmin ? name : null,
})
