import type { Account } from '@portico/contract/accounts'
import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form'
import { useMemo } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { useSubmit } from '#lib/submit.ts'
import { editedForm, OpenedItem, SavedMeanwhile, useEditing } from '#domain/editing'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { accountSchema, type AccountValues, timeZones, toNewAccount, valuesOf } from './account-rules.ts'
import { getAccount, useCreateAccount, useUpdateAccount } from './accounts-queries.ts'

type AccountDialogProps = {
  /** Null for a new account. */
  account: Account | null
  all: Account[]
  onClose: () => void
}

const width = 520

/** Creates an account, or changes the name and time zone of one. */
export function AccountDialog({ account, ...props }: AccountDialogProps) {
  if (!account) return <AccountForm account={null} {...props} />
  return (
    <OpenedItem
      title={`Edit ${account.Value}`}
      width={width}
      read={() => getAccount(account.Key)}
      onClose={props.onClose}
    >
      {(fresh) => <AccountForm account={fresh} {...props} />}
    </OpenedItem>
  )
}

const labels = { name: 'Name', timeZone: 'Time zone', isSuspended: 'Suspension' }

function AccountForm({ account, all, onClose }: AccountDialogProps) {
  const validate = useMemo(
    () => schemaResolver(accountSchema(all, account?.Value ?? null), { sync: true }),
    [all, account],
  )
  const form = useForm<AccountValues>({ initialValues: valuesOf(account), validate, validateInputOnChange: true })
  const editing = useEditing({
    item: account,
    read: ({ Key }: Account) => getAccount(Key),
    valuesOf,
    form: editedForm(form),
  })
  const options = {
    nameField: 'name' as const,
    done: ({ Value }: Account) => {
      notifyDone(`'${Value}' was ${account ? 'updated' : 'created'}.`)
      onClose()
    },
    refused: focusFirstProblem,
  }
  const create = useSubmit(form, useCreateAccount(), options)
  const update = useSubmit(form, useUpdateAccount(account?.Key ?? 0, editing.save), options)
  const { problem, isBusy } = account ? update : create

  function onSubmit(values: AccountValues): void {
    const made = toNewAccount(values)
    if (account) update.submit({ name: made.name, timeZone: values.timeZone })
    else create.submit(made)
  }

  return (
    <FormDialog
      title={account ? `Edit ${account.Value}` : 'New Account'}
      width={width}
      guard={{ isDirty: form.isDirty(), isBusy }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={form.onSubmit(onSubmit, focusFirstProblem)}
        footer={
          <>
            {problem !== null && (
              <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" mb="sm">
                {problem}
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} disabled={isBusy}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={account !== null && !form.isDirty()}>
                {account ? 'Save' : 'Create'}
              </Button>
            </Group>
          </>
        }
      >
        <SavedMeanwhile {...{ editing, isBusy, labels }} onOverwrite={() => onSubmit(form.values)} />
        <AccountFields form={form} account={account} all={all} />
      </DialogForm>
    </FormDialog>
  )
}

type AccountFieldsProps = Pick<AccountDialogProps, 'account' | 'all'> & { form: UseFormReturnType<AccountValues> }

function AccountFields({ form, account, all }: AccountFieldsProps) {
  const zones = useMemo(() => timeZones(valuesOf(account).timeZone), [account])
  const parents = all.filter(({ parent }) => parent === null)
  return (
    <Stack gap="sm">
      <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      {!account && (
        <Select
          label="Parent account"
          description="Its people with access to all sub-accounts can enter the new account."
          placeholder="None"
          data={parents.map(({ Key, Value }) => ({ value: String(Key), label: Value }))}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'No parent account' }}
          nothingFoundMessage="No matching account found."
          {...form.getInputProps('parent')}
        />
      )}
      <Select
        label="Time zone"
        description="Used for schedules and for the hours that limit identities."
        withAsterisk
        data={zones}
        limit={100}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No matching time zone found."
        {...form.getInputProps('timeZone')}
      />
      {!account && (
        <TextInput
          label="First power user"
          description="Invited by email. You can add more later."
          placeholder="name@example.com"
          inputMode="email"
          autoComplete="off"
          {...form.getInputProps('powerUser')}
        />
      )}
    </Stack>
  )
}
