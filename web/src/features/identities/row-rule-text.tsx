import type { Stages } from '@portico/contract/filter'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { useFields } from '#domain/fields'
import { filterFields, FilterSentence } from '#domain/filters'

/** The contacts that an identity may see, in words. */
export function RowRuleText({ rule }: { rule: Stages | null }) {
  const fields = useFields()
  if (rule === null) return 'All contacts'
  const isLoading = fields.isLoading
  return (
    <FilterSentence
      stages={parsePipeline(rule)}
      fields={filterFields(fields.data ?? [])}
      nameOf={() => undefined}
      obstacle={fields.data ? null : isLoading ? 'Loading…' : 'Some contacts. Their fields could not be loaded.'}
    />
  )
}
