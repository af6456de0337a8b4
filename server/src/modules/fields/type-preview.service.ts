import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import { misfitsShown, type RetypedUse, type TypePreview, type TypeReading } from '@portico/contract/fields'
import type { ColumnReading } from '@portico/contract/imports'
import { accountTimeZone } from '#accounts'
import { type ContactText, selectContactTexts, toContactField } from '#contacts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { freeing } from '#platform/waits/reading-limits.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { requireField } from './found-field.ts'
import { type Rank, shownName } from './shown-uses.ts'
import { type ReadText, readingsOf, textReader } from './type-values.ts'
import { findObstacle, findRetypedUses, type FoundUse } from './type-uses.service.ts'

type Asking = { db: Db; signal?: AbortSignal; caller: Caller; uses: readonly FieldUses[] }

// Read at once, unless their texts are long; others are answered after each of them.
const contactsAtOnce = 5000
const mostMs = 50_000
const examplesShown = 3
const shownLetters = 200

/**
 * Reads all values of a field as another type, in each way that this type has, and writes nothing.
 * @throws not_found; invalid_input naming `type`; timed_out for a field whose values cannot be read within a minute
 */
export async function previewFieldType(
  { db, signal, caller, uses }: Asking,
  account: AccountId,
  id: string,
  type: FieldType,
): Promise<TypePreview> {
  const field = await requireField(db, account, caller, id, { ofAll: true })
  if (field.type === type) throw invalidField('type', hasTypeAlready)
  const timeZone = await accountTimeZone(db, account)
  const tally = new TypeTally(type, timeZone)
  const until = performance.now() + mostMs
  for (let after = '0'; ;) {
    signal?.throwIfAborted()
    if (performance.now() > until) throw new AppError('timed_out')
    const last = await freeing(async () => {
      const selected = { timeZone, after, limit: contactsAtOnce }
      const texts = await selectContactTexts(db, account, toContactField(field), selected)
      for (const text of texts) tally.add(text)
      return texts.at(-1)?.id
    })
    if (last === undefined) break
    after = last
  }
  const used = await findRetypedUses({ db, uses }, account, field, type)
  const obstacle = await findObstacle({ db, caller }, account, field, used)
  return {
    ...tally.describe(),
    uses: used.map((use) => showUse(caller, use)),
    obstacle,
  }
}

/** Some people do not see these things, so their names and contents are for administrators. */
function showUse(caller: Rank, { kind, name, problem }: FoundUse): RetypedUse {
  const shown = shownName(caller, name)
  return {
    kind,
    name: shown,
    problem: problem === null || shown !== null ? problem : 'It takes values of another type.',
  }
}

export const hasTypeAlready = 'The field has this type already.'

type Counted = TypeReading & { read: ReadText }

class TypeTally {
  #filled = 0
  #differs = false
  readonly #readings: Counted[]

  constructor(type: FieldType, timeZone: string) {
    this.#readings = readingsOf(type).map((reading) => newCount(reading, timeZone))
  }

  add(contact: ContactText): void {
    const { text } = contact
    if (text === null) return
    this.#filled++
    const values = this.#readings.map(({ read }) => read(contact))
    for (const [at, counted] of this.#readings.entries()) count(counted, contact.id, text, values[at] ?? null)
    const [one, other] = values
    if (values.length > 1 && one !== null && other !== null && one !== other) this.#differs = true
  }

  /** The reading that reads more texts comes first. */
  describe(): Pick<TypePreview, 'filled' | 'readings' | 'isAmbiguous'> {
    const readings = this.#readings.toSorted((one, other) => other.converted - one.converted)
    const [first, second] = readings
    return {
      filled: this.#filled,
      readings,
      isAmbiguous: this.#differs && first?.converted === second?.converted,
    }
  }
}

function newCount(reading: ColumnReading, timeZone: string): Counted {
  return {
    reading,
    read: textReader(reading, timeZone),
    converted: 0,
    misfits: { contacts: 0, first: [] },
    examples: [],
  }
}

function count(counted: Counted, contact: string, text: string, value: string | null): void {
  const { misfits, examples } = counted
  if (value === null) {
    misfits.contacts++
    if (misfits.first.length < misfitsShown) misfits.first.push({ contact, text: shortened(text) })
    return
  }
  counted.converted++
  if (value === text || examples.length >= examplesShown) return
  const before = shortened(text)
  if (examples.every((example) => example.before !== before)) examples.push({ before, after: shortened(value) })
}

// Copied, as a part of a string holds all of it.
const shortened = (text: string): string =>
  text.length > shownLetters ? `${Buffer.from(text.slice(0, shownLetters), 'utf16le').toString('utf16le')}…` : text
