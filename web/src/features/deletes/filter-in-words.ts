import type { Field } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import { filterFields, readFilter, sentenceOf } from '#domain/filters'

/** A filter as a sentence; as JSON where its rows cannot say it, for one when a field is gone. */
export function filterInWords(
  stages: Stages,
  fields: readonly Field[],
  savedNames: ReadonlyMap<string, string>,
): string {
  const filter = readFilter(stages, filterFields(fields))
  if (filter.advanced !== null) return JSON.stringify(stages)
  return sentenceOf(filter, filter.predefined === null ? undefined : savedNames.get(filter.predefined))
}
