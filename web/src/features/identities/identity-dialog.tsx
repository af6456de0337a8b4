import type { Identity } from '@portico/contract/identities'
import { schemaResolver, useForm } from '@mantine/form'
import { Divider, Stack } from '@mantine/core'
import { useMemo } from 'react'
import { useMayAdministerAll } from '#lib/session/role.ts'
import {
  ChooseByName,
  createIdentity,
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
} from '#domain/access'
import { HolderFields, LimitFields, SubAccountsField } from './identity-fields.tsx'
import { RowRuleField } from './row-rule-field.tsx'

type IdentityDialogProps = {
  /** The entry to edit; null creates one. */
  identity: Identity | null
  others: readonly Identity[]
  onClose: () => void
}

/** Gives someone an identity, or changes one. */
export function IdentityDialog({ identity, others, onClose }: IdentityDialogProps) {
  const mayAdministerAll = useMayAdministerAll()
  const form = useIdentityForm(identity, others, mayAdministerAll)
  const groups = eligibleGroups(useGroups().data ?? [], mayAdministerAll)
  const { onSubmit, problem, isBusy, isSaved } = useSaveForm({
    form,
    save: (values: IdentityValues) => (identity ? updateIdentity(identity._id, values) : createIdentity(values)),
    nameField: form.values.serviceName === undefined ? 'email' : 'serviceName',
    describe: (saved) => {
      const invited = saved.status === 'invited' && saved.email !== identity?.email ? ' An invitation was sent.' : ''
      return `'${identityName(saved)}' was ${identity ? 'updated' : 'created'}.${invited}`
    },
    onClose,
  })
  return (
    <EditDialog
      title={identity ? 'Edit Identity' : 'New Identity'}
      width={720}
      isDirty={form.isDirty() && !isSaved}
      isBusy={isBusy}
      submitLabel={identity ? 'Save' : 'Create'}
      problem={problem}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Stack gap="md">
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
