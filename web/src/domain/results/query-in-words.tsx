import { contactsApi } from '@portico/contract/contacts'
import { parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import { readSavedId } from '@portico/domain/pipeline/search-rows'
import { useMemo } from 'react'
import { useFields } from '#domain/fields'
import { filterFields, FilterSentence, useSavedFilter } from '#domain/filters'
import { messageOf } from '#lib/api/api-error.ts'
import { useMayCall } from '#lib/session/may-call.ts'

const hiddenFilter = 'Contacts that match a filter. Showing it in words needs the feature contact-offers-list.'

/** The filter of an export as a sentence: an array of stages as JSON text, or null for all contacts. */
export function QueryInWords({ query }: { query: string | null }) {
  const stages = useMemo(() => (query ? parsePipelineText(query) : null) ?? [], [query])
  const fields = useFields()
  const saved = useSavedFilter(readSavedId(stages))
  const known = useMemo(() => filterFields(fields.data ?? []), [fields.data])
  const isAllowed = useMayCall(contactsApi.listFields)
  if (stages.length === 0) return 'All contacts'
  // Without the fields, every condition would look invalid.
  if (fields.isLoading) return null
  const obstacle = isAllowed ? fields.error && messageOf(fields.error) : hiddenFilter
  return <FilterSentence stages={stages} fields={known} nameOf={() => saved.data?.name} obstacle={obstacle} />
}
