import { Loader } from '@mantine/core'
import IconFilter from '#icons/IconFilter'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import { type Filter, sentenceOf } from '#domain/filters'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import type { ExportedRows } from './exported-rows.ts'
import { useMatchingCount } from './exports-queries.ts'
import css from './matching-rows.module.css'

const nouns = { groups: 'group', events: 'event', contacts: 'record' } as const
const nounOf = ({ stages }: ExportedRows): string => nouns[readRowKind(stages ?? [])]

/** The filter as a sentence, with its number of contacts, events or groups. */
export function MatchingRows({ filter, rows }: { filter: Filter; rows: ExportedRows }) {
  const count = useMatchingCount(rows.stages)
  const problem = rows.problem ?? (count.error && messageOf(count.error))
  return (
    <section className={css['bar']} aria-label="Filter">
      <IconFilter size={16} className={css['icon']} aria-hidden />
      <span className={css['text']}>{sentenceOf(filter, rows.savedName)}</span>
      <output className={css['count']}>
        {problem ? (
          <span className={css['problem']}>{problem}</span>
        ) : count.data === undefined ? (
          <Loader size={14} aria-label="Counting rows" />
        ) : (
          formatCount(count.data, nounOf(rows))
        )}
      </output>
    </section>
  )
}
