import { Select } from '@mantine/core'

type PartSelectProps = {
  label: string
  data: readonly string[]
  value: string
  error?: string | undefined
  onChange: (value: string) => void
}

/** One part of an action or condition. A value that is no longer in the list stays visible. */
export function PartSelect({ label, data, value, error, onChange }: PartSelectProps) {
  const options = value === '' || data.includes(value) ? [...data] : [value, ...data]
  return (
    <Select
      label={label}
      placeholder="Choose"
      data={options}
      value={value || null}
      error={error}
      allowDeselect={false}
      onChange={(next) => next !== null && onChange(next)}
    />
  )
}
