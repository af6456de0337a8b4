import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { MultiChooser } from '#ui/form/multi-chooser.tsx'
import { isSelectedWithAll } from './exportable.ts'

type FieldChooserProps = {
  /** All columns that a file can have. */
  options: string[]
  value: string[]
  onChange: (value: string[]) => void
  error: ReactNode
  /** Fields of events are among the chosen ones. */
  hasEvents: boolean
}

/** Chooses the fields in a file of contacts or of their events. */
export function FieldChooser({ options, value, onChange, error, hasEvents }: FieldChooserProps) {
  return (
    <div>
      <MultiChooser
        label="Fields to export"
        description="Columns appear in this order."
        options={options}
        value={value}
        isSelectedWithAll={isSelectedWithAll}
        onChange={onChange}
        error={error}
      />
      {hasEvents && (
        <Text component="output" display="block" size="xs" mt={4}>
          With event fields, the file has one row per event. Contacts without events are left out.
        </Text>
      )}
    </div>
  )
}
