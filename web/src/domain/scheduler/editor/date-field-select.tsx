import { isDateType } from '@portico/contract/contacts'
import { dateFieldInWords, defaultDateField } from '@portico/contract/dashboards/date-field'
import { Select } from '@mantine/core'
import { useMemo } from 'react'
import { useFields } from '#domain/fields'
import type { FieldsProps } from './fields-props.ts'

/** The date that the window of an export's offset applies to: the events' date, or a date field of contacts. */
export function DateFieldSelect({ values: { dateField }, onChange, problems }: FieldsProps) {
  const { data } = useFields()
  const options = useMemo(() => {
    const names = (data ?? []).filter(({ type }) => isDateType(type)).map(({ name }) => name)
    const others = [...new Set([...names, dateField])].filter((name) => name !== defaultDateField)
    return [defaultDateField, ...others].map((name) => ({ value: name, label: dateFieldInWords(name) }))
  }, [data, dateField])
  return (
    <Select
      label="Date Field"
      data={options}
      allowDeselect={false}
      searchable
      value={dateField}
      onChange={(chosen) => onChange({ dateField: chosen ?? dateField })}
      error={problems.get('instruction.dateField')}
    />
  )
}
