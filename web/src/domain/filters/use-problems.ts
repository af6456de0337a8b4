import { useMemo } from 'react'
import { type Draft, isUnindexed, type Problems, problemsOf } from './draft.ts'
import { useOnlyIndexedFields } from './filter-queries.ts'
import type { FilterField } from './stages/filter.ts'

type Builder = { needsSecondLevel: boolean; isOfContacts: boolean }

/** The draft's problems under the account's rules, which are requested once a condition depends on them. */
export function useProblems(draft: Draft, fields: readonly FilterField[], { needsSecondLevel, isOfContacts }: Builder) {
  const onlyIndexedFields = useOnlyIndexedFields(isOfContacts && draft.standard.some((row) => isUnindexed(row, fields)))
  const problems = useMemo(
    (): Problems => problemsOf(draft, fields, { needsSecondLevel, onlyIndexedFields: onlyIndexedFields === true }),
    [draft, fields, needsSecondLevel, onlyIndexedFields],
  )
  return { problems, onlyIndexedFields }
}
