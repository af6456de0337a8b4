import type { eventFields } from '@portico/contract/filter'
import { foldName, isSameName } from '@portico/domain/names'
import { eventPrefix } from '@portico/domain/pipeline/pipeline'

/** Names that other systems give to the fields of an event, likeliest first. */
const otherNames: Partial<Record<keyof typeof eventFields, string[]>> = {
  event_code: ['event code', 'event', 'event name', 'event type', 'action'],
  event_date: ['event date', 'event time', 'when', 'date', 'timestamp', 'date and time', 'datetime', 'time'],
  app_code: ['app code', 'app', 'application'],
  event_path: ['event path', 'page', 'path', 'url', 'page url'],
  event_element: ['event element', 'element'],
  os: ['operating system'],
  ip: ['ip address'],
  is_trigger: ['is trigger', 'trigger'],
}

const plain = (name: string): string => foldName(name).replaceAll(/[\s_-]+/g, ' ')

type Chosen = { keyColumn: string; columnMapping: Record<string, string> }

/**
 * Targets of all columns that have one by choice, by a prefix as in exports (`events.event_code`), or by a usual name of a
 * field of events ('Page') that no other column feeds. Columns not listed keep their names.
 */
export function withGuesses(columns: readonly string[], { keyColumn, columnMapping }: Chosen): Record<string, string> {
  const others = columns.filter((column) => !isSameName(column, keyColumn) && columnMapping[column] === undefined)
  const taken = new Set([...others, ...Object.values(columnMapping)].map(foldName))
  const guesses: Record<string, string> = {}
  for (const column of others) {
    if (!foldName(column).startsWith(eventPrefix)) continue
    const name = column.slice(eventPrefix.length)
    if (name === '' || taken.has(foldName(name))) continue
    guesses[column] = name
    taken.add(foldName(name))
  }
  for (const [field, names] of Object.entries(otherNames)) {
    if (taken.has(field)) continue
    const found = names.flatMap((name) => others.find((column) => plain(column) === name) ?? [])[0]
    if (found !== undefined) guesses[found] = field
  }
  return { ...guesses, ...columnMapping }
}
