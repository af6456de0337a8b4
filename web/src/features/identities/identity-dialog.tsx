import type { Field } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { Day, Identity } from '@portico/contract/identities'
import type { Group } from '@portico/contract/policies'
import { schemaResolver, useForm } from '@mantine/form'
import { Alert, Divider, Stack } from '@mantine/core'
import { useMemo } from 'react'
import IconWorld from '#icons/IconWorld'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { OpenedItem, SavedMeanwhile } from '#domain/editing'
import {
  ChooseByName,
  createIdentity,
  getIdentity,
  namesOf,
  EditDialog,
  eligibleGroups,
  identityName,
  identitySchema,
  type IdentityValues,
  newIdentityValues,
  takenEmails,
  toNewIdentity,
  updateIdentity,
  useGroups,
  useSaveForm,
  shortDay,
} from '#domain/access'
import { useFields } from '#domain/fields'
import { filterFields, filterSentence } from '#domain/filters'
import { HolderFields, LimitFields, SubAccountsField } from './identity-fields.tsx'
import { RowRuleField } from './row-rule-field.tsx'

type IdentityDialogProps = {
  /** The entry to edit; null creates one. */
  identity: Identity | null
  others: readonly Identity[]
  onClose: () => void
}

const width = 720

/** Creates an identity, or changes one. */
export function IdentityDialog({ identity, ...props }: IdentityDialogProps) {
  if (!identity) return <IdentityForm identity={null} {...props} />
  return (
    <OpenedItem title="Edit Identity" width={width} read={() => getIdentity(identity._id)} onClose={props.onClose}>
      {(fresh) => <IdentityForm identity={fresh} {...props} />}
    </OpenedItem>
  )
}

const labels = {
  email: 'Email',
  serviceName: 'Name',
  userName: 'User Name',
  groups: 'Groups',
  accessToAllSubAccounts: 'Access to All Subaccounts',
  isDisabled: 'Status',
  days: 'Days',
  daysEffect: 'Days Effect',
  hours: 'Hours',
  hoursEffect: 'Hours Effect',
  cidr: 'CIDR',
  rowRule: 'Contacts this identity may see',
}

/** The values shown in the form, which neither enables nor disables the identity. */
const editedValues = (identity: Identity): IdentityValues => ({ ...toNewIdentity(identity), isDisabled: false })

type Shown = { groups: readonly Group[]; fields: readonly Field[] }

function showValue(path: string, value: unknown, { groups, fields }: Shown): string | undefined {
  // Each value has its field's type.
  if (path === 'groups') return namesOf(value as string[], groups)
  if (path === 'days') return (value as Day[]).map(shortDay).join(', ') || undefined
  if (path === 'rowRule') {
    return value === null
      ? 'All contacts'
      : filterSentence(parsePipeline(value as Stages), filterFields(fields), () => undefined)
  }
  if (value === 'in') return 'Access only then'
  return value === 'nin' ? 'No access then' : undefined
}

function IdentityForm({ identity, others, onClose }: IdentityDialogProps) {
  const mayAdministerAll = useMayAdministerAll()
  const form = useIdentityForm(identity, others, mayAdministerAll)
  const allGroups = useGroups().data ?? []
  const fields = useFields().data ?? []
  const groups = eligibleGroups(allGroups, mayAdministerAll)
  const { onSubmit, problem, editing, isBusy, isSaved } = useSaveForm({
    form,
    item: identity,
    read: ({ _id }) => getIdentity(_id),
    valuesOf: editedValues,
    save: (values, over) =>
      over
        ? updateIdentity(over._id, { ...values, isDisabled: over.status === 'disabled', version: over.version })
        : createIdentity(values),
    nameField: form.values.serviceName === undefined ? 'email' : 'serviceName',
    describe: (saved) => {
      const invited = saved.status === 'invited' && saved.email !== identity?.email ? ' An invitation was sent.' : ''
      return `'${identityName(saved)}' was ${identity ? 'updated' : 'created'}.${invited}`
    },
    onClose,
  })
  const show = (path: string, value: unknown): string | undefined =>
    showValue(path, value, { groups: allGroups, fields })
  return (
    <EditDialog
      title={identity ? 'Edit Identity' : 'New Identity'}
      width={width}
      isDirty={form.isDirty() && !isSaved}
      isBusy={isBusy}
      submitLabel={identity ? 'Save' : 'Create'}
      problem={problem}
      note={<SavedMeanwhile {...{ editing, isBusy, labels, show }} onOverwrite={onSubmit} />}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Stack gap="md">
        {mayAdministerAll && (identity === null || identity.aid === '*') && <EntersEveryAccount />}
        <HolderFields form={form} mayBeService={identity === null && !mayAdministerAll} />
        <ChooseByName
          label="Groups"
          options={groups}
          value={form.values.groups}
          onChange={(ids) => form.setFieldValue('groups', ids)}
          error={form.errors['groups']}
        />
        <SubAccountsField form={form} />
        <Divider />
        <LimitFields form={form} />
        <RowRuleField
          value={form.values.rowRule}
          onChange={(rule) => form.setFieldValue('rowRule', rule)}
          error={form.errors['rowRule']}
        />
      </Stack>
    </EditDialog>
  )
}

/** An identity of the portal rather than of an account. */
const EntersEveryAccount = () => (
  <Alert color="yellow" icon={<IconWorld size={18} aria-hidden />}>
    This person will enter every account. To give access to one account only, add a power user to it under Accounts.
  </Alert>
)

function useIdentityForm(identity: Identity | null, others: readonly Identity[], mayAdministerAll: boolean) {
  const validate = useMemo(
    () => schemaResolver(identitySchema(takenEmails(others, identity, mayAdministerAll)), { sync: true }),
    [others, identity, mayAdministerAll],
  )
  return useForm<IdentityValues>({
    initialValues: identity ? toNewIdentity(identity) : newIdentityValues,
    validate,
    validateInputOnChange: true,
  })
}
