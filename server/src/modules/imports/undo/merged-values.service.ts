import type { AccountId } from '@portico/contract/accounts'
import { accountTimeZone } from '#accounts'
import { type ContactField, type ContactValue, selectWidened } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { PlannedColumn } from '../import-plan.ts'
import type { KeyRule } from '../loading/contact-keys.service.ts'
import {
  type LaterPlace,
  replaceBefore,
  type ReplacedText,
  selectFirstLater,
  selectLaterPlaces,
} from './later-records.queries.ts'
import { selectCoordinateText, selectWrittenText } from './merged-texts.queries.ts'
import { placeOf } from './record-changes.queries.ts'

/** A value that a merge gave a contact (`to`) and the one before it, as they were then: imports may have widened the field since. */
type MergedValue = { field: ContactField; from: ContactValue; to: ContactValue }

/** `lastImport`: the last one before the merge, 0 for none. */
type Undone = { contact: string; lastImport: number; rule: KeyRule; values: readonly MergedValue[] }

/** By the number of a field: the first import after `lastImport` that changed its value in a contact. */
export async function selectFirstImports(
  db: Db,
  account: AccountId,
  {
    contact,
    lastImport: importId,
    fields,
  }: Pick<Undone, 'contact' | 'lastImport'> & { fields: readonly ContactField[] },
): Promise<Map<number, number>> {
  const columns = fields.map((field, position) => ({ position, field }))
  const places = await selectLaterPlaces(db, account, { importId, ...withoutKeys(columns), contacts: [contact] })
  if (places.length === 0) return new Map()
  const first = await selectFirstLater(db, account, { importId, contact }, places)
  return new Map(
    first.flatMap(({ place, importId: later }) => {
      const field = fields[place - placeOf.firstColumn]
      return field ? [[field.id, later]] : []
    }),
  )
}

const withoutKeys = (columns: PlannedColumn[]) => ({
  plan: { columns },
  coordinates: { latitude: null, longitude: null },
})

/**
 * Passes the values from before a merge on to the later imports that were the next to change those of the merge: when these
 * are undone, such values return, and their coordinates. The contact must be locked.
 */
export async function passOnUnmerged(
  db: Db,
  account: AccountId,
  { contact, lastImport: importId, rule, values }: Undone,
): Promise<void> {
  if (values.length === 0) return
  const columns = values.map(({ field }, position) => ({ position, field }))
  const places = await selectLaterPlaces(db, account, { importId, ...withoutKeys(columns), contacts: [contact] })
  if (places.length === 0) return
  const timeZone = await accountTimeZone(db, account)
  const texts: ReplacedText[] = []
  for (const at of await selectFirstLater(db, account, { importId, contact }, places)) {
    const recorded = recordedValue(values, rule, places, at)
    if (!recorded) continue
    const { field, from, to, limit, type } = recorded
    const textOf = async (value: ContactValue): Promise<string | null> => {
      const widened = await selectWidened(db, { type, value }, timeZone)
      return limit === null
        ? selectWrittenText(db, type, widened)
        : selectCoordinateText(db, { ...field, type }, widened, limit)
    }
    texts.push({ ...at, written: await textOf(to), earlier: await textOf(from) })
  }
  await replaceBefore(db, account, contact, texts)
}

/** The type of the field in the record. `limit`: of a coordinate. */
type RecordedValue = MergedValue & { type: ContactField['type']; limit: number | null }

/** The value at a place of a record; undefined for those that no merge changes, and of a field whose type people have changed since. */
function recordedValue(
  values: readonly MergedValue[],
  { columns: { latitude, longitude } }: KeyRule,
  places: readonly LaterPlace[],
  { importId, place }: Pick<LaterPlace, 'importId' | 'place'>,
): RecordedValue | undefined {
  const coordinates = new Map<number, { column: PlannedColumn | null; limit: number }>([
    [placeOf.latitude, { column: latitude, limit: 90 }],
    [placeOf.longitude, { column: longitude, limit: 180 }],
  ])
  const coordinate = coordinates.get(place)
  if (coordinate) {
    const value = values.find(({ field }) => field.id === coordinate.column?.field.id)
    return value && { ...value, type: value.field.type, limit: coordinate.limit }
  }
  const value = values[place - placeOf.firstColumn]
  const reading = places.find((each) => each.importId === importId && each.place === place)?.reading
  return value && typeof reading === 'object' && reading ? { ...value, type: reading.type, limit: null } : undefined
}
