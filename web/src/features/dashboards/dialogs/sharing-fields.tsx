import { MultiSelect, Select, Stack, TagsInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { useAccounts } from '#lib/session/session.ts'
import type { Choice, SaveValues } from './save-form.ts'

type Form = UseFormReturnType<SaveValues>
type List = 'parents' | 'accounts' | 'users'

const options: Record<Choice, Record<List, string>> = {
  all: { parents: 'All parent accounts', accounts: 'All accounts', users: 'All users' },
  current: { parents: 'Current parent account', accounts: 'Current account', users: 'Only me' },
  custom: { parents: 'Custom parent accounts', accounts: 'Custom accounts', users: 'Custom users' },
  parent: { parents: '', accounts: 'Current parent account', users: '' },
}

const labels: Record<List, string> = {
  parents: 'Share with parent accounts',
  accounts: 'Share with accounts',
  users: 'Share with users',
}

/** The people who see the dashboard: those who match every list (specification 4 §6). */
export function SharingFields({ form }: { form: Form }) {
  const sharesByParent = useMayAdministerAll()
  const accountChoices: Choice[] = sharesByParent ? ['all', 'current', 'custom'] : ['parent', 'current', 'custom']
  return (
    <Stack gap="sm">
      {sharesByParent && <SharedList form={form} list="parents" choices={['all', 'current', 'custom']} />}
      <SharedList form={form} list="accounts" choices={accountChoices} />
      <SharedList form={form} list="users" choices={['all', 'current', 'custom']} />
    </Stack>
  )
}

function SharedList({ form, list, choices }: { form: Form; list: List; choices: Choice[] }) {
  const { choice } = form.values[list]
  return (
    <Stack gap={6}>
      <Select
        label={labels[list]}
        withAsterisk
        allowDeselect={false}
        data={choices.map((each) => ({ value: each, label: options[each][list] }))}
        value={choice}
        onChange={(next) => next !== null && form.setFieldValue(`${list}.choice`, next)}
        {...(choice !== 'custom' && { error: form.errors[list] })}
      />
      {choice === 'custom' && (list === 'users' ? <Emails form={form} /> : <Accounts form={form} list={list} />)}
    </Stack>
  )
}

function Accounts({ form, list }: { form: Form; list: 'parents' | 'accounts' }) {
  const accounts = useAccounts().data ?? []
  const offered = list === 'accounts' ? accounts : accounts.filter(({ parent }) => parent === undefined)
  const known = offered.map(({ Key, Value }) => ({ value: String(Key), label: Value }))
  const { custom } = form.values[list]
  // Shared by a person who may enter more accounts.
  const others = custom.filter((id) => !known.some(({ value }) => value === id))
  return (
    <MultiSelect
      aria-label={list === 'parents' ? 'Parent accounts' : 'Accounts'}
      placeholder={custom.length === 0 ? 'Choose accounts' : ''}
      searchable
      data={[...known, ...others.map((value) => ({ value, label: `Account ${value}` }))]}
      value={custom}
      onChange={(next) => form.setFieldValue(`${list}.custom`, next)}
      error={form.errors[list]}
    />
  )
}

function Emails({ form }: { form: Form }) {
  const { custom } = form.values.users
  return (
    <TagsInput
      aria-label="Emails"
      placeholder={custom.length === 0 ? 'Type an email and press Enter' : ''}
      allowDuplicates
      acceptValueOnBlur
      splitChars={[',', ';', ' ']}
      value={custom}
      onChange={(next) => form.setFieldValue('users.custom', next)}
      error={form.errors['users']}
    />
  )
}
