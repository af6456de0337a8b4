import type { Stages } from '@portico/contract/filter'
import { matching } from '@portico/domain/pipeline/match-json'
import { parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { emptyFilter, type Filter, type FilterField, matchStagesOf, readFilter } from '#domain/filters'
import { type JobFilter, jobFilterStages, readJobFilter, writeJobFilter } from '#domain/job-lists'

/** Filter fields of imports: label in the table, and name on the server. */
const named: { title: string; name: string; type: FilterField['type'] }[] = [
  { title: 'Name', name: 'name', type: 'string' },
  { title: 'Creation', name: 'creationDate', type: 'date' },
  { title: 'Status', name: 'status', type: 'string' },
  { title: 'Processed Records', name: 'processedRecords', type: 'number' },
  { title: 'Start', name: 'startDate', type: 'date' },
  { title: 'Last Activity', name: 'lastActivityDate', type: 'date' },
  { title: 'PURL Status', name: 'purlStatus', type: 'string' },
  { title: 'PURL Processed Records', name: 'purlProcessedRecords', type: 'number' },
  { title: 'PURL Last Activity', name: 'purlLastActivityDate', type: 'date' },
  { title: 'Rows Set Aside', name: 'setAsideRecords', type: 'number' },
  { title: 'Cells Set Aside', name: 'setAsideCells', type: 'number' },
  { title: 'Empty Rows Skipped', name: 'emptyRecords', type: 'number' },
  { title: 'Created By', name: 'creator', type: 'string' },
  { title: 'Kind', name: 'kind', type: 'string' },
  { title: 'File Path', name: 'filePath', type: 'string' },
  { title: 'File Delimiter', name: 'fileDelimiter', type: 'string' },
  { title: 'Generate PURL', name: 'generatePURL', type: 'boolean' },
  { title: 'PURL Generation Scope', name: 'purlGenerationScope', type: 'string' },
  { title: 'Recovery Count', name: 'recoveryCount', type: 'number' },
  { title: 'Recovery Error', name: 'recoveryError', type: 'string' },
]

/** For the filter builder. These lists are short: every field can be filtered by. */
export const importFields: FilterField[] = named.map(({ title, type }) => ({ name: title, type, isIndexed: true }))
const serverFields: FilterField[] = named.map(({ name, type }) => ({ name, type, isIndexed: true }))

const renamed = (filter: Filter, nameOf: (field: string) => string | undefined): Filter => ({
  ...emptyFilter,
  standard: filter.standard.map((row) => ({ ...row, field: nameOf(row.field) ?? row.field })),
})

/** The builder's conditions in the server's form. */
export const importStages = (filter: Filter): Stages =>
  writePipeline(matchStagesOf(renamed(filter, (field) => named.find(({ title }) => title === field)?.name)))

/** The inverse, for text in the address; stages that rows cannot show are ignored. */
export function readImportStages(text: string): Filter {
  const stages = parsePipelineText(text)
  const filter = stages ? readFilter(stages, serverFields) : emptyFilter
  return renamed(filter, (field) => named.find(({ name }) => name === field)?.title)
}

/**
 * Filter of the list, kept in the address: by name, by status, and by the builder. A change returns to the first page.
 * `import` in the address, as in emails, shows only this import until the filter changes.
 */
export function useImportFilter() {
  const [params, setParams] = useSearchParams()
  const { name, status } = readJobFilter(params)
  const text = params.get('filter') ?? ''
  const only = params.get('import')
  const built = useMemo(() => readImportStages(text), [text])
  const find = useMemo(
    () => [...matchingId(only), ...jobFilterStages({ name, status }), ...importStages(built)],
    [only, name, status, built],
  )
  const change = (part: Partial<JobFilter> & { built?: Filter }): void =>
    setParams(
      (now) => {
        const next = writeJobFilter(now, { ...readJobFilter(now), ...part })
        next.delete('import')
        const stages = part.built && importStages(part.built)
        if (stages?.length === 0) next.delete('filter')
        else if (stages) next.set('filter', JSON.stringify(stages))
        return next
      },
      { replace: true },
    )
  return {
    name,
    status,
    built,
    find,
    only,
    isActive: find.length > 0,
    change,
    clear: () => change({ name: '', status: null, built: emptyFilter }),
  }
}

const matchingId = (id: string | null): Stages => (id === null ? [] : matching({ _id: id }))
