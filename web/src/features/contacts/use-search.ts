import type { Field } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import { useMemo } from 'react'
import { computedPartsOf } from '#domain/charts'
import { type Filter, type FilterField, filterFields, readFilter, sentenceOf, textOnly } from '#domain/filters'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { useSavedFilter } from './contacts-queries.ts'
import { kindOf, readStages, type SearchKind } from './search.ts'
import { useSearchUrl } from './search-url.ts'

export type Search = {
  /** As in the address. */
  stages: Stages
  /** With a saved filter's own stages in its place; null while they are not there. */
  resolved: Stages | null
  kind: SearchKind
  /** For the builder. */
  filter: Filter
  /** The same without a saved filter, for what is added to it; null when rows cannot say it. */
  resolvedFilter: Filter | null
  sentence: string
  /** Why it makes no sense, or why the saved filter is not there. */
  problem: string | null
}

/** The id of the saved filter that stages stand for. */
function savedIdOf(stages: Stages): string | null {
  const [stage, ...more] = stages
  const id = stage?.['$predefined']
  return more.length === 0 && typeof id === 'string' ? id : null
}

/** As a sentence; for what no rows can say, its text. */
function inWords(
  stages: Stages,
  filter: Filter,
  fields: readonly FilterField[],
  savedName: string | undefined,
): string {
  if (filter.advanced === null) return sentenceOf(filter, savedName)
  const computed = computedPartsOf(stages)
  const base = computed && readFilter(computed.base, fields)
  if (!base || base.advanced !== null) return `A filter that can only be shown as text: ${JSON.stringify(stages)}`
  return `${sentenceOf(base).replace(/\.$/, '')}, of those whose ${computed.parts.join(' and ')}.`
}

/** The search in the address, understood: what is asked, in rows and in words. */
export function useSearch(
  fields: readonly Field[],
): Search & { onSearch: ReturnType<typeof useSearchUrl>['onSearch'] } {
  const { stages: read, onSearch } = useSearchUrl()
  const stages = useMemo(() => read ?? [], [read])
  const savedId = savedIdOf(stages)
  const saved = useSavedFilter(savedId)
  const savedQuery = saved.data?.aggregateQuery
  const savedName = saved.data?.name
  const savedProblem = saved.error && describe(saved.error)
  const search = useMemo((): Search => {
    const known = filterFields(fields)
    const filter = readFilter(stages, known)
    const own = savedQuery === undefined ? null : readStages(savedQuery)
    const resolved = savedId === null ? read : own
    const resolvedFilter = resolved && readFilter(resolved, known)
    return {
      stages,
      resolved,
      kind: kindOf(resolved ?? []),
      filter,
      resolvedFilter: resolvedFilter?.advanced === null ? resolvedFilter : null,
      sentence: read === null ? 'No contacts.' : inWords(stages, filter, known, savedName),
      problem: read === null ? 'The filter in this address is not valid.' : (savedProblem ?? nonsenseOf(filter)),
    }
  }, [stages, read, fields, savedId, savedQuery, savedName, savedProblem])
  return { ...search, onSearch }
}

/** What rows cannot say may be well. */
const nonsenseOf = ({ advanced }: Filter): string | null =>
  advanced === null || advanced.problem === textOnly ? null : advanced.problem

const describe = (error: unknown): string =>
  isApiError(error, 'not_found') ? 'The saved filter could not be found.' : messageOf(error)
