import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { Loader } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import css from './matching-count.module.css'
import { useMatchingCount } from './filter-queries.ts'

type MatchingCountProps = {
  /** Null while a row is incomplete, or a saved filter is not loaded yet. */
  stages: Pipeline | null
  /** For rows: the footer already reports a failure. */
  isQuiet?: boolean
}

/** The number of contacts that the stages find, counted as they change. */
export function MatchingCount({ stages, isQuiet = false }: MatchingCountProps) {
  const count = useMatchingCount(stages)
  if (!count.isAllowed || (isQuiet && stages === null)) return null
  if (count.isError) return <output className={css['problem']}>{isQuiet ? '' : messageOf(count.error)}</output>
  return (
    <output className={css['count']}>
      {count.data === undefined ? (
        <Loader size={12} aria-label="Counting contacts" />
      ) : (
        formatCount(count.data, 'contact')
      )}
    </output>
  )
}
