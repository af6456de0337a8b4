import { Input, NativeSelect, Switch, TextInput } from '@mantine/core'
import { viaKinds } from '@portico/contract/audit'
import { type ReactNode, useId } from 'react'
import { SearchBox } from '#ui/table/search-box.tsx'
import { type AuditFields, periodProblem } from './audit-filter.ts'
import { viaNames } from './via-names.ts'
import css from './audit-page.module.css'

type AuditFiltersProps = {
  fields: AuditFields
  onChange: (part: Partial<AuditFields>) => void
  /** Whether the user may read the log of all accounts. */
  mayReadAll: boolean
}

/** Filters the log: who, what, how, when, and for power admins where. */
export function AuditFilters({ fields, onChange, mayReadAll }: AuditFiltersProps) {
  const problem = periodProblem(fields)
  return (
    <>
      <SearchBox
        label="Who"
        placeholder="Person: part of the email"
        value={fields.who}
        onSearch={(who) => onChange({ who })}
      />
      <SearchBox
        label="What"
        placeholder="Part of the action or subject"
        value={fields.what}
        onSearch={(what) => onChange({ what })}
      />
      <NativeSelect
        aria-label="How"
        value={fields.via}
        data={[
          { value: '', label: 'Done in any way' },
          ...viaKinds.map((kind) => ({ value: kind, label: viaNames[kind] })),
        ]}
        onChange={({ currentTarget: { value } }) => onChange({ via: viaKinds.find((kind) => kind === value) ?? '' })}
      />
      <div className={css['dates']}>
        <Moment label="From">
          {(id) => (
            <TextInput
              id={id}
              type="datetime-local"
              value={fields.from}
              onChange={(event) => onChange({ from: event.currentTarget.value })}
            />
          )}
        </Moment>
        <Moment label="To">
          {(id) => (
            <TextInput
              id={id}
              type="datetime-local"
              value={fields.to}
              error={problem}
              onChange={(event) => onChange({ to: event.currentTarget.value })}
            />
          )}
        </Moment>
      </div>
      {mayReadAll && (
        <Switch
          label="All accounts"
          checked={fields.everywhere}
          onChange={(event) => onChange({ everywhere: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

function Moment({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className={css['moment']}>
      <Input.Label htmlFor={id} mb={0}>
        {label}
      </Input.Label>
      {children(id)}
    </div>
  )
}
