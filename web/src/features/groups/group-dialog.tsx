import type { Group } from '@portico/contract/policies'
import { schemaResolver, useForm } from '@mantine/form'
import { Stack, Switch } from '@mantine/core'
import { useMemo } from 'react'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { CountedInput } from '#ui/form/counted-input.tsx'
import { OpenedItem, SavedMeanwhile } from '#domain/editing'
import {
  ChooseByName,
  createGroup,
  EditDialog,
  getGroup,
  namesOf,
  takenNames,
  updateGroup,
  usePolicies,
  useSaveForm,
} from '#domain/access'
import { groupSchema, type GroupValues, groupValues, policiesFor } from './group-rules.ts'

type GroupDialogProps = {
  /** The entry to edit; null creates one. */
  group: Group | null
  others: readonly Group[]
  onClose: () => void
}

const width = 620

/** Creates a group, or changes one. */
export function GroupDialog({ group, ...props }: GroupDialogProps) {
  if (!group) return <GroupForm group={null} {...props} />
  return (
    <OpenedItem title="Edit Group" width={width} read={() => getGroup(group._id)} onClose={props.onClose}>
      {(fresh) => <GroupForm group={fresh} {...props} />}
    </OpenedItem>
  )
}

const labels = { name: 'Name', policies: 'Policies' }

function GroupForm({ group, others, onClose }: GroupDialogProps) {
  const mayAdministerAll = useMayAdministerAll()
  const form = useGroupForm(group, others, mayAdministerAll)
  const policies = usePolicies()
  const { onSubmit, problem, editing, isBusy, isSaved } = useSaveForm({
    form,
    item: group,
    read: ({ _id }) => getGroup(_id),
    valuesOf: groupValues,
    save: (values, over) => (over ? updateGroup(over._id, { ...values, version: over.version }) : createGroup(values)),
    nameField: 'name',
    describe: ({ name }) => `'${name}' was ${group ? 'updated' : 'created'}.`,
    onClose,
  })
  const show = (path: string, ids: unknown): string | undefined =>
    path === 'policies' ? namesOf(ids as string[], policies.data ?? []) : undefined
  return (
    <EditDialog
      title={group ? 'Edit Group' : 'New Group'}
      width={width}
      isDirty={form.isDirty() && !isSaved}
      isBusy={isBusy}
      submitLabel={group ? 'Save' : 'Create'}
      problem={problem}
      note={<SavedMeanwhile {...{ editing, isBusy, labels, show }} onOverwrite={onSubmit} />}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {/* Room for the list of policies, which would otherwise cover the buttons. */}
      <Stack gap="md" mih={420}>
        <CountedInput label="Name" withAsterisk max={50} data-autofocus {...form.getInputProps('name')} />
        <Switch
          label="Is Admin"
          aria-label="Is Admin"
          description={
            group
              ? 'Cannot be changed after creation.'
              : 'Admin groups hold admin policies and make global identities power admins.'
          }
          disabled={group !== null || !mayAdministerAll}
          checked={form.values.isAdmin}
          onChange={({ currentTarget: { checked: isAdmin } }) => {
            form.setValues({ isAdmin, policies: [] })
            form.clearFieldError('policies')
          }}
        />
        <ChooseByName
          label="Policies"
          description={`Only ${form.values.isAdmin ? 'admin policies' : 'policies that are not for admins'} are offered.`}
          options={policiesFor(form.values.isAdmin, policies.data ?? [])}
          value={form.values.policies}
          onChange={(ids) => form.setFieldValue('policies', ids)}
          error={form.errors['policies']}
        />
      </Stack>
    </EditDialog>
  )
}

function useGroupForm(group: Group | null, others: readonly Group[], mayAdministerAll: boolean) {
  const validate = useMemo(() => {
    const taken = takenNames(
      others.filter(({ _id }) => _id !== group?._id),
      group?.name ?? null,
    )
    return schemaResolver(groupSchema(taken, mayAdministerAll), { sync: true })
  }, [others, group, mayAdministerAll])
  return useForm<GroupValues>({ initialValues: groupValues(group), validate, validateInputOnChange: true })
}
