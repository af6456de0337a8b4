import type { CellAnswer } from '@portico/contract/dashboards'
import { dateFieldInWords } from '@portico/contract/dashboards/date-field'
import { todayIn } from '@portico/domain/days'
import { accountTimeZone } from '#lib/session/session.ts'
import css from './cell-dates.module.css'
import { daysInWords } from './days-in-words.ts'

/** The days that date pickers narrow a cell to. Without any it keeps its place, so that choosing some moves nothing. */
export function CellDates({ dates = [] }: { dates?: CellAnswer['dates'] }) {
  const today = todayIn(accountTimeZone() ?? 'UTC')
  const text = dates.map(({ field, ...days }) => `${dateFieldInWords(field)}: ${daysInWords(days, today)}`).join(' · ')
  return (
    <div className={css['dates']} title={text}>
      {text}
    </div>
  )
}
