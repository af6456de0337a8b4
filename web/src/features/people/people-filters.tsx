import { PersonState } from '@portico/contract/people'
import { NativeSelect, Select } from '@mantine/core'
import { SearchBox } from '#ui/table/search-box.tsx'
import { usePeopleFilters } from './people-queries.ts'
import type { PeopleFields } from './people-url.ts'
import { stateWords } from './person-words.ts'
import css from './people.module.css'

type PeopleFiltersProps = { fields: PeopleFields; onChange: (part: Partial<PeopleFields>) => void }

const withAny = (label: string, items: { value: string; label: string }[]) => [{ value: '', label }, ...items]

const states = withAny(
  'Any state',
  PersonState.options.map((state) => ({ value: state, label: stateWords[state] })),
)
const signIns = withAny('Any sign-in', [{ value: 'never', label: 'Never signed in' }])
const twoFactors = withAny('Any two-factor', [{ value: 'off', label: 'No two-factor' }])

/** Search and filters of the list of people. */
export function PeopleFilters({ fields, onChange }: PeopleFiltersProps) {
  const { data } = usePeopleFilters()
  const accounts = data?.accounts.map(({ Key, Value }) => ({ value: String(Key), label: Value })) ?? []
  const groups =
    data?.groups.map(({ _id, name, account }) => ({
      value: _id,
      label: account === null ? name : `${name} (${account})`,
    })) ?? []
  const chooser = (name: 'account' | 'group' | 'domain', label: string, items: { value: string; label: string }[]) => (
    <Select
      className={css['chooser'] ?? ''}
      aria-label={label}
      placeholder={label}
      data={items}
      value={items.some(({ value }) => value === fields[name]) ? fields[name] : null}
      searchable
      clearable
      limit={200}
      nothingFoundMessage="None has this name."
      onChange={(value) => onChange({ [name]: value ?? '' })}
    />
  )
  const choice = (name: 'state' | 'signIn' | 'twoFactor', label: string, items: { value: string; label: string }[]) => (
    <NativeSelect
      className={css['choice'] ?? ''}
      aria-label={label}
      value={fields[name]}
      data={items}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      <SearchBox
        label="Search people"
        placeholder="Part of the email or name"
        value={fields.search}
        onSearch={(search) => onChange({ search })}
      />
      {choice('state', 'State', states)}
      {choice('signIn', 'Sign-in', signIns)}
      {choice('twoFactor', 'Two-factor', twoFactors)}
      {chooser('account', 'Account', accounts)}
      {chooser('group', 'Group', groups)}
      {chooser('domain', 'Domain', data?.domains.map((domain) => ({ value: domain, label: domain })) ?? [])}
    </>
  )
}
