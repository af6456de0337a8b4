import type { FieldEntry } from '@portico/contract/fields'
import { Loader } from '@mantine/core'
import { formatValue } from '#domain/charts'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDate, formatNumber } from '#lib/formats.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { usesByKind } from './field-texts.ts'
import { useFieldValues } from './fields-queries.ts'

/** The expanded row of a field: its values, counted among the contacts that the user may see, and its uses. */
export function FieldValues({ field }: { field: FieldEntry }) {
  const values = useFieldValues(field._id)
  if (values.isError) {
    return <FailureState message={messageOf(values.error)} onRetry={() => void values.refetch()} />
  }
  if (!values.data) return <Loader size={18} aria-label="Counting the values" />
  const { contacts, filled, distinct, examples, written, uses } = values.data
  const shown = examples.map(({ value, contacts: of }) => `${textOf(field, value)} (${formatNumber(of)})`)
  const used = usesByKind(uses)
  return (
    <DefinitionList
      columns={3}
      items={[
        { term: 'Filled', value: `${formatNumber(filled)} of ${formatCount(contacts, 'contact')}` },
        { term: 'Distinct Values', value: formatNumber(distinct) },
        { term: 'Most Frequent Values', value: shown.length > 0 ? shown.join(', ') : null },
        ...(written ? [{ term: 'Texts Kept as Written', value: formatNumber(written) }] : []),
        ...(used.length > 0 ? used : [{ term: 'Used By', value: 'Nothing stored names this field.' }]),
      ]}
    />
  )
}

/** The expanded row of a deleted field, whose values are hidden. */
export function DeletedField({ field: { deleted } }: { field: FieldEntry }) {
  return (
    <DefinitionList
      columns={3}
      items={[
        { term: 'Deleted', value: formatDate(deleted?.at) },
        { term: 'By', value: deleted?.by ?? '' },
        { term: 'Can Be Restored Until', value: formatDate(deleted?.until) },
      ]}
    />
  )
}

/** A value in the format of other screens. */
function textOf({ type, format }: FieldEntry, value: string): string {
  if (type === 'number') return formatValue(Number(value), type, format ?? undefined)
  if (type === 'boolean') return formatValue(value === 'true', type)
  return formatValue(value, type)
}
