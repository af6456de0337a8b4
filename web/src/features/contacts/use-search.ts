import type { Field } from '@portico/contract/contacts'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { readSavedId, readSearchKind, type SearchKind } from '@portico/domain/pipeline/search-rows'
import { useMemo } from 'react'
import { takeDateParts } from '#domain/charts'
import {
  type Filter,
  type FilterField,
  filterFields,
  readFilter,
  sentenceOf,
  textOnly,
  useSavedFilter,
} from '#domain/filters'
import { useSearchUrl } from './search-url.ts'

export type Search = {
  /** As in the address. */
  stages: Pipeline
  /** With a saved filter replaced by its stages; null until they are loaded. */
  resolved: Pipeline | null
  kind: SearchKind
  /** For the builder. */
  filter: Filter
  /** With a saved filter replaced by its rows, to add conditions to; null if rows cannot show it. */
  resolvedFilter: Filter | null
  sentence: string
  /** Why it is invalid, or why the saved filter is missing. */
  problem: string | null
}

/** The search as a sentence. */
function inWords(
  stages: Pipeline,
  filter: Filter,
  fields: readonly FilterField[],
  savedName: string | undefined,
): string {
  if (filter.advanced === null) return sentenceOf(filter, savedName)
  const dated = takeDateParts(stages)
  const base = dated && readFilter(dated.base, fields)
  if (!base || base.advanced !== null) return textOnly
  return `${sentenceOf(base).replace(/\.$/, '')}, of those whose ${dated.parts.join(' and ')}.`
}

/** The search in the address, as stages, builder rows and a sentence. */
export function useSearch(
  fields: readonly Field[],
): Search & { onSearch: ReturnType<typeof useSearchUrl>['onSearch'] } {
  const { stages: read, onSearch } = useSearchUrl()
  const stages = useMemo(() => read ?? [], [read])
  const savedId = readSavedId(stages)
  const saved = useSavedFilter(savedId)
  const own = saved.data?.stages ?? null
  const savedName = saved.data?.name
  const search = useMemo((): Search => {
    const known = filterFields(fields)
    const filter = readFilter(stages, known)
    const resolved = savedId === null ? read : own
    const resolvedFilter = savedId === null ? read && filter : own && readFilter(own, known)
    return {
      stages,
      resolved,
      kind: readSearchKind(resolved ?? []),
      filter,
      resolvedFilter: resolvedFilter?.advanced === null ? resolvedFilter : null,
      sentence: read === null ? 'No contacts.' : inWords(stages, filter, known, savedName),
      problem: read === null ? 'The filter in this address is not valid.' : (saved.problem ?? nonsenseOf(filter)),
    }
  }, [stages, read, fields, savedId, own, savedName, saved.problem])
  return { ...search, onSearch }
}

/** Why the filter is invalid; null for one that is valid but that rows cannot show. */
const nonsenseOf = ({ advanced }: Filter): string | null =>
  advanced === null || advanced.problem === textOnly ? null : advanced.problem
