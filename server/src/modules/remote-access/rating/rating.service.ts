import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import { messages } from '@portico/contract/messages'
import type { ColumnRating } from '@portico/contract/remote-access'
import { listContactFields, readableFields, rowsOfFields } from '#contacts'
import { type ContactFilterField, openContactSource, type QueryContext, userQuery } from '#filters'
import { invalidField } from '#platform/app-error.ts'
import type { Caller } from '#platform/http/context.ts'
import { guessableShare, kindOfValue } from './guessing.ts'
import { countUnique, sampleTexts } from './rating.queries.ts'

const sampledContacts = 5000
// Counting duplicates among more takes seconds.
const comparedContacts = 200_000

/**
 * Rates one or two authentication columns by the values of the first contacts.
 * @throws invalid_input naming `column` or `column2`, also for a field that the caller may not read; timed_out
 */
export async function rateColumns(
  { rows: visible, caller, ...context }: QueryContext & { rows: Stages | null; caller: Pick<Caller, 'can' | 'rows'> },
  account: AccountId,
  { column, column2 }: { column: string; column2?: string | undefined },
): Promise<ColumnRating> {
  const names = [column, ...(column2 === undefined ? [] : [column2])]
  const rows = everyRule(visible, rowsOfFields(caller, names))
  const scope = (await openContactSource(context.db, account, { rows })).scope()
  const known = await listContactFields(context.db, account)
  const readable = new Set(await readableFields(caller, known))
  const find = (field: string, name: string): ContactFilterField => {
    const found = scope.resolve(name)
    const isHidden = known.some((each) => each.name === found?.name && !readable.has(each))
    if (!found || isHidden) throw invalidField(field, `${messages.invalid} There is no column "${name}".`)
    return found
  }
  const fields = [find('column', column), ...(column2 === undefined ? [] : [find('column2', column2)])]
  if (fields[0] === fields[1]) throw invalidField('column2', messages.duplicate)
  const from = scope.from()
  return userQuery(context, async (reader) => {
    const counted = await countUnique(reader, { from, fields, limit: comparedContacts })
    const uniqueShare = counted.contacts === 0 ? null : counted.unique / counted.contacts
    if (fields.length === 1 && fields[0]?.name === '_id') return openRating(uniqueShare)
    // An id next to another column needs no guessing: it is found by counting.
    const guessed = fields.filter(({ name }) => name !== '_id')
    const sample = await sampleTexts(reader, { from, fields: guessed, limit: sampledContacts })
    const purlAt = guessed.findIndex(({ name }) => name === 'purl')
    return ratingOf(sample, purlAt, uniqueShare)
  })
}

function openRating(uniqueShare: number | null): ColumnRating {
  const text = 'IDs are counted up, so anyone can read every contact.'
  return { level: 'open', guessableShare: uniqueShare === null ? null : 1, uniqueShare, text }
}

// Above this share, a day of guessing is worth the effort.
const weakShare = 0.01
const strongShare = 0.000_001

function ratingOf(sample: string[][], purlAt: number, uniqueShare: number | null): ColumnRating {
  if (sample.length === 0 || uniqueShare === null) {
    const text = 'No contact has a value yet, so nothing can be said about guessing.'
    return { level: 'fair', guessableShare: null, uniqueShare: null, text }
  }
  const share = guessableShare(sample, purlAt)
  const level = share >= weakShare ? 'weak' : share > strongShare ? 'fair' : 'strong'
  return {
    level,
    guessableShare: share,
    uniqueShare,
    text: `${guessingText(level, share, sample)}${sharedText(uniqueShare)}`,
  }
}

function guessingText(level: 'weak' | 'fair' | 'strong', share: number, sample: string[][]): string {
  if (level === 'weak') return `About ${percent(share)} of contacts can be found by guessing within a day.`
  if (level === 'strong') return 'The values are too long and random to be guessed.'
  const isEmail =
    sample.filter((texts) => texts.some((text) => kindOfValue(text) === 'email')).length * 2 > sample.length
  return isEmail
    ? 'Emails are rarely guessed, but anyone who knows one can read its contact.'
    : 'Few contacts can be found by guessing, but anyone who knows the values can read the contact.'
}

/** Contacts with the same values are not served, which users should know when they choose a column. */
function sharedText(uniqueShare: number): string {
  if (uniqueShare >= 1) return ''
  const share = percent(1 - uniqueShare)
  return ` ${share[0]?.toUpperCase()}${share.slice(1)} of contacts share their values with another one and are not served.`
}

const percent = (share: number): string => (share < 0.01 ? 'less than 1%' : `${Math.round(share * 100)}%`)
