import { isDateType } from '@portico/contract/contacts'
import { savedFiltersApi } from '@portico/contract/saved-filters'
import { defaultDateField } from '@portico/contract/scheduler/instructions'
import { Select } from '@mantine/core'
import { useMemo } from 'react'
import { useFields } from '#domain/fields'
import { useSavedFilters } from '#domain/filters'
import { useMayCall } from '#lib/session/may-call.ts'
import type { FieldsProps } from './fields-props.ts'
import { dateFieldInWords } from './offset-in-words.ts'

/** The date that the window of an export's offset applies to: that of events, or a date field of contacts. */
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

/** The saved filter that narrows every cell of a report. */
export function SavedFilterSelect({ values: { rdl }, onChange, problems }: FieldsProps) {
  const isAllowed = useMayCall(savedFiltersApi.listSavedFilters)
  const { data } = useSavedFilters()
  // An existing cron may have one that this user cannot see.
  if (!isAllowed && rdl === null) return null
  const known = (data ?? []).map(({ _id, name }) => ({ value: _id, label: name }))
  return (
    <Select
      label="Saved filter"
      placeholder="None"
      data={rdl === null || known.some(({ value }) => value === rdl) ? known : [...known, { value: rdl, label: rdl }]}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'No saved filter' }}
      value={rdl}
      onChange={(chosen) => onChange({ rdl: chosen })}
      error={problems.get('instruction.rdl')}
    />
  )
}
