import { Loader } from '@mantine/core'
import IconFilter from '#icons/IconFilter'
import { type Filter, matchStagesOf, sentenceOf } from '#filter-builder'
import { messageOf } from '#lib/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { useMatchingCount, useSavedFilterName } from './exports-queries.ts'
import css from './matching-contacts.module.css'

/** The filter in words, and how many contacts it finds. */
export function MatchingContacts({ filter }: { filter: Filter }) {
  const count = useMatchingCount(matchStagesOf(filter))
  const name = useSavedFilterName(filter.predefined)
  return (
    <section className={css['bar']} aria-label="Filter">
      <IconFilter size={16} className={css['icon']} aria-hidden />
      <span className={css['text']}>{sentenceOf(filter, name.data)}</span>
      <output className={css['count']}>
        {count.isError ? (
          <span className={css['problem']}>{messageOf(count.error)}</span>
        ) : count.data === undefined ? (
          <Loader size={14} aria-label="Counting the contacts" />
        ) : (
          formatCount(count.data, 'record')
        )}
      </output>
    </section>
  )
}
