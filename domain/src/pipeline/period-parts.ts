import { addDays, dayCount } from '../days.ts'
import type { Grouping } from './grouping.ts'
import { periodOf } from './periods.ts'
import { type DatePart, isPeriod, type Period, type Term } from './pipeline.ts'
import { type GroupRow, isDayText, isOfEvents, type Selection, selectionOf } from './selection.ts'
import { all, anyOf, fieldTerm, plainName } from './terms.ts'

// Periods as parts of dates: however many there are, the filter language takes them as one list.

/** Any of many periods of a field, by their first days. */
export function manyPeriodTerms(field: string, period: Period, values: readonly unknown[]): Term[] {
  const name = plainName(field)
  return [
    anyOf(
      values.flatMap((value) => (isDayText(value) ? partsOf(name, period, value).map(all) : [fieldTerm(name, value)])),
    ),
  ]
}

/** The selections that are together the one of a group whose keys all have a value. */
export function selectionsByParts({ keys }: Grouping, row: GroupRow): Selection[] {
  return keys.reduce<Selection[]>(
    (selections, key, at) => {
      const value = row[at]
      const own = selectionOf({ keys: [key] }, [value], { asParts: true })
      const choices =
        isPeriod(key.part) && isDayText(value)
          ? partsOf(plainName(key.field), key.part, value)
          : [[...own.contacts, ...own.events]]
      return selections.flatMap(({ contacts, events }) =>
        choices.map((terms) =>
          isOfEvents(key) ? { contacts, events: [...events, ...terms] } : { contacts: [...contacts, ...terms], events },
        ),
      )
    },
    [{ contacts: [], events: [] }],
  )
}

/** A period as alternatives: its year, its months or its days. */
function partsOf(field: string, period: Period, first: string): Term[][] {
  const { from, to } = periodOf(first, period)
  const termsOf = (day: string, parts: readonly DatePart[]): Term[] => {
    const numbers = day.split('-').map(Number)
    return parts.map((part, at) => fieldTerm(field, { [`$${part}`]: numbers[at] }))
  }
  if (period === 'by year') return [termsOf(from, ['year'])]
  const days = Array.from({ length: dayCount({ from, to }) }, (_, at) => addDays(from, at))
  if (period === 'by day' || period === 'by week') {
    return days.map((day) => termsOf(day, ['year', 'month', 'dayOfMonth']))
  }
  return days.filter((day) => day.endsWith('-01')).map((day) => termsOf(day, ['year', 'month']))
}
