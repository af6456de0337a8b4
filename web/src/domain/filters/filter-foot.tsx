import type { Filter, FilterField } from './stages/filter.ts'
import css from './filter-builder.module.css'
import { readFilter } from './stages/filter-of.ts'
import { useSavedFilter } from './filter-queries.ts'
import { MatchingCount } from './matching-count.tsx'
import { sentenceOf } from './stages/sentence-of.ts'
import { matchStagesOf } from './stages/stages-of.ts'

type FilterFootProps = {
  /** Null while the filter is incomplete. */
  filter: Filter | null
  fields: readonly FilterField[]
  /** Plural noun of the filtered records, if not contacts. */
  noun: string | undefined
  /** Names of the tabs with missing or invalid values. */
  incomplete: string[]
}

/** The whole filter as a sentence, and the number of contacts it finds if it filters contacts. */
export function FilterFoot({ filter, fields, noun, incomplete }: FilterFootProps) {
  const predefined = filter?.predefined ?? null
  const saved = useSavedFilter(predefined)
  // A saved filter may also group; the count is of the grouped contacts.
  const counted = predefined === null ? filter : saved.data?.stages ? readFilter(saved.data.stages, fields) : null
  return (
    <div className={css['foot']}>
      <p className={css['sentence']}>
        {filter
          ? sentenceOf(filter, saved.data?.name, noun)
          : `This filter is not complete yet: see ${incomplete.join(', ')}.`}
      </p>
      {filter && !noun && !saved.problem && <MatchingCount stages={counted && matchStagesOf(counted)} />}
    </div>
  )
}
