import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { formatPipeline, parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Sort } from '#lib/api/lists.ts'

/** The address for another search: goes to the first page, in the search's own order, keeps other parameters. */
function writeSearch(params: URLSearchParams, stages: Pipeline, sort: Sort | null): URLSearchParams {
  const next = new URLSearchParams(params)
  for (const name of ['page', 'sort', 'dir', 'filter']) next.delete(name)
  if (stages.length > 0) next.set('filter', formatPipeline(stages))
  if (sort) next.set('sort', sort.field)
  if (sort?.direction === 'desc') next.set('dir', 'desc')
  return next
}

/** The search in the address, as stages; null if the address has no valid search. */
export function useSearchUrl() {
  const [params, setParams] = useSearchParams()
  const text = params.get('filter') ?? '[]'
  const stages = useMemo(() => parsePipelineText(text), [text])
  /** Pushed to the browser's history: going back returns to the previous search. */
  const onSearch = (next: Pipeline, sort: Sort | null = null): void => setParams((now) => writeSearch(now, next, sort))
  return { stages, onSearch }
}
