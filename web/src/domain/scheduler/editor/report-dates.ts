import { allTime, allTimeName, dayPresets, isPreset, rangePresets } from '@portico/domain/days'
import type { Definition } from '@portico/contract/dashboards/definition'
import { typeOf, type KnownField } from '@portico/domain/pipeline/grouping'
import { dateFieldInWords } from '@portico/contract/dashboards/date-field'
import { cellsOf, dateFieldOf, windowedDates } from '@portico/contract/dashboards/dashboard-cells'
import { isDateType } from '@portico/domain/field-types'
import { isOffset } from '@portico/domain/scheduler/offset-window'
import { offsetInWords } from './offset-in-words.ts'

type Around = { definition: Definition; fields: readonly KnownField[] }

const presets: Readonly<Record<string, string>> = { ...rangePresets, ...dayPresets }
const usualPreset = '29'

/**
 * The dates of a report, as a sentence: those of its offset, in every date picker of the dashboard; without an offset,
 * the initial dates of the date pickers.
 */
export function datesInWords(around: Around, offset: string | null): string {
  const pickers = cellsOf(around.definition).flatMap(({ chart }) =>
    chart?.type === 'DatePicker' && isDateType(typeOf(dateFieldOf(chart), around.fields)) ? [chart] : [],
  )
  if (offset !== null && isOffset(offset)) {
    const fields = windowedDates(around).map(({ field }) => dateFieldInWords(field))
    return `${offsetInWords(offset)}, by ${fields.join(' and ')}`
  }
  const initial = pickers.map((chart) => {
    const { defaultId } = chart
    if (defaultId === allTime) return `${allTimeName}, by ${dateFieldInWords(dateFieldOf(chart))}`
    const preset = defaultId !== undefined && isPreset(defaultId) ? defaultId : usualPreset
    return `${presets[preset]}, by ${dateFieldInWords(dateFieldOf(chart))}`
  })
  return initial.length > 0 ? [...new Set(initial)].join('; ') : 'All dates'
}
