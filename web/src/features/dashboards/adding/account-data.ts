import { type Field, isDateType } from '@portico/contract/contacts'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { type Accumulator, type Pipeline, unwindEvents } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { countAs, type DateField, groupBy } from './ready-charts.ts'

/** The parts of an account's data that ready cells can show. Fields with a single value are left out. */
export type AccountData = {
  hasContacts: boolean
  hasPurls: boolean
  country: string | null
  state: string | null
  /** All contacts are in the United States: their states have a map. */
  isOfStates: boolean
  city: string | null
  /** Texts with few distinct values; those that people usually group by come first. */
  categories: { name: string; values: number }[]
  /** Fields that are true or false. */
  flags: string[]
  numbers: string[]
  dates: DateField[]
  /** Columns of a list of contacts. */
  columns: string[]
  /** Null without events. */
  events: { hasKinds: boolean; hasPages: boolean; hasBrowsers: boolean; hasResponses: boolean } | null
}

export const noData: AccountData = {
  hasContacts: false,
  hasPurls: false,
  country: null,
  state: null,
  isOfStates: false,
  city: null,
  categories: [],
  flags: [],
  numbers: [],
  dates: [],
  columns: [],
  events: null,
}

type Row = Record<string, unknown>

/** Enough to tell a segment from an email address, and fast in an account of any size. */
const sampled = 1000
const mostFields = 60

/** Fields that the filter language can name as the key of a group. */
const isUsable = ({ name }: Field): boolean => !/^(?:\$|events\.)|^(?:_id|count)$/i.test(name)
const usable = (fields: readonly Field[]): Field[] => fields.filter(isUsable).slice(0, mostFields)

const different = (name: string, path: string): Accumulator => ({
  name,
  operator: 'size',
  of: { $addToSet: `$${path}` },
})

const question = (standard: Pipeline): CellChart => ({
  type: 'Table',
  title: '',
  filter: { standard: writePipeline(standard) },
  options: {},
  gaugeMaxValue: 100,
  formatNumbers: true,
})

/** Asks how many distinct values each field has among some contacts. */
export function contactsQuestion(fields: readonly Field[]): CellChart {
  const known = usable(fields)
  const country = known.find(isCountry)
  return question([
    { kind: 'limit', rows: sampled },
    groupBy(
      [],
      [
        countAs('count'),
        different('purls', 'purl'),
        ...(country ? [{ name: 'firstCountry', operator: 'min', of: `$${country.name}` }] : []),
        ...known.map(({ name }, at) => different(`field${at}`, name)),
      ],
    ),
  ])
}

/** Asks which parts some events have. */
export const eventsQuestion: CellChart = question([
  unwindEvents,
  { kind: 'limit', rows: sampled },
  groupBy(
    [],
    [
      countAs('count'),
      different('kinds', 'events.event_code'),
      different('pages', 'events.event_path'),
      different('browsers', 'events.browser'),
      { name: 'triggers', operator: 'max', of: '$events.is_trigger' },
    ],
  ),
])

const numberOf = (row: Row, name: string): number => (typeof row[name] === 'number' ? row[name] : 0)

const words = (name: string): string =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_\-.\s]+/g, ' ')
    .trim()
    .toLowerCase()

const isCountry = ({ name }: Pick<Field, 'name'>): boolean => /^(?:home )?country(?: name| code)?$/.test(words(name))
const isState = ({ name }: Pick<Field, 'name'>): boolean => /^(?:home )?(?:state|province|region)$/.test(words(name))
const isCity = ({ name }: Pick<Field, 'name'>): boolean => /^(?:home )?(?:city|town)(?: name)?$/.test(words(name))
const isUnitedStates = (name: unknown): boolean =>
  typeof name === 'string' && /^(?:united states(?: of america)?|usa?|u\.s\.(?:a\.)?)$/i.test(name.trim())

/** Names, addresses and numbers of people and places, which are useless as groups. */
const identifier =
  /\b(?:id|uuid|e ?mail|mail|name|phone|mobile|fax|street|address|zip|post ?code|postal|number|url|link|notes?|comments?|ip|latitude|longitude|lat|lng|lon|year|password|token)\b/
const grouping =
  /\b(?:segment|status|tier|level|type|category|class|source|channel|interest|program|campaign|appeal|group|gender|language|industry|store|branch|plan|product|stage)\b/
const worth = /\b(?:value|giving|amount|revenue|spend|spent|total|sales|donations?|price|orders?|purchases?)\b/
const born = /\b(?:birth|birthday|born|dob)\b/

/** Maximum number of values that a chart can distinguish; higher for fields that people group by. */
const mostValues = { usual: 25, grouping: 100 }

/** Reads the answers to both questions; undefined for an answer without rows. */
export function readAccountData(
  fields: readonly Field[],
  contacts: Row | undefined,
  events: Row | undefined,
): AccountData {
  if (!contacts) return { ...noData, events: readEvents(events) }
  const count = numberOf(contacts, 'count')
  const filled = usable(fields)
    .map((field, at) => ({ ...field, values: numberOf(contacts, `field${at}`) }))
    .filter(({ values }) => values > 0)
  const nameOf = (isWanted: (field: Field) => boolean): string | null =>
    filled.find((field) => field.type === 'string' && isWanted(field))?.name ?? null
  const ofType = (type: Field['type']) => filled.filter((field) => field.type === type && field.values > 1)
  const [country, state, city] = [nameOf(isCountry), nameOf(isState), nameOf(isCity)]
  const countries = filled.find(({ name }) => name === country)?.values ?? 0
  return {
    hasContacts: count > 0,
    hasPurls: numberOf(contacts, 'purls') > 0,
    country,
    state,
    isOfStates: state !== null && countries === 1 && isUnitedStates(contacts['firstCountry']),
    city,
    categories: ofType('string')
      .filter(
        ({ name, values }) =>
          values <= mostValues[isGrouping(name) ? 'grouping' : 'usual'] &&
          values < Math.max(count, 3) &&
          !identifier.test(words(name)),
      )
      .filter(({ name }) => ![country, state, city].includes(name))
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .map(({ name, values }) => ({ name, values })),
    flags: filled.filter(({ type }) => type === 'boolean').map(({ name }) => name),
    numbers: ofType('number')
      .map(({ name }) => name)
      .filter((name) => !identifier.test(words(name)))
      .toSorted((one, other) => Number(worth.test(words(other))) - Number(worth.test(words(one)))),
    dates: filled
      .filter(({ type, values }) => isDateType(type) && values > 1)
      .map(({ name }) => ({ name, isBirthday: born.test(words(name)) }))
      .toSorted((one, other) => Number(one.isBirthday) - Number(other.isBirthday)),
    columns: columnsOf(filled),
    events: readEvents(events),
  }
}

const isGrouping = (name: string): boolean => grouping.test(words(name))
const rankOf = ({ name, values }: { name: string; values: number }): number => (isGrouping(name) ? 0 : 1000) + values

const listed = 6

/** Names and email first, then the other fields in file order; no long texts or coordinates. */
function columnsOf(fields: readonly Field[]): string[] {
  const names = fields.map(({ name }) => name)
  const first = names.filter((name) => /\b(?:name|e ?mail)\b/.test(words(name))).slice(0, 3)
  const rest = names.filter((name) => !first.includes(name) && !identifier.test(words(name)))
  return [...first, ...rest].slice(0, listed)
}

function readEvents(row: Row | undefined): AccountData['events'] {
  if (!row || numberOf(row, 'count') === 0) return null
  return {
    hasKinds: numberOf(row, 'kinds') > 1,
    hasPages: numberOf(row, 'pages') > 1,
    hasBrowsers: numberOf(row, 'browsers') > 1,
    hasResponses: row['triggers'] === true,
  }
}
