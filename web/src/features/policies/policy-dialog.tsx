import { type Policy } from '@portico/contract/policies'
import { policyTemplates } from '@portico/contract/rights/policy-templates'
import { schemaResolver, useForm } from '@mantine/form'
import { Divider, Stack, Switch } from '@mantine/core'
import { useMemo, useState } from 'react'
import { CountedInput } from '#ui/form/counted-input.tsx'
import { ActionEditor } from './action-editor.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import { OpenedItem, SavedMeanwhile } from '#domain/editing'
import { createPolicy, EditDialog, getPolicy, takenNames, updatePolicy, useSaveForm } from '#domain/access'
import { TemplateSelect } from './template-select.tsx'
import { isSameDraft, PolicyEffects } from './policy-effects.tsx'
import { policySchema, type PolicyValues, policyValues } from './policy-rules.ts'

type PolicyDialogProps = {
  /** The policy to edit, or to copy. */
  policy: Policy | null
  mode: 'create' | 'edit'
  others: readonly Policy[]
  onClose: () => void
}

const unfinished = 'Finish or clear this entry first.'

const width = 760

const titleOf = (isEdit: boolean): string => (isEdit ? 'Edit Policy' : 'New Policy')

/** Creates a policy, possibly as a copy of another, or changes one. */
export function PolicyDialog({ policy, ...props }: PolicyDialogProps) {
  if (!policy) return <PolicyForm policy={null} {...props} />
  return (
    <OpenedItem
      title={titleOf(props.mode === 'edit')}
      width={width}
      read={() => getPolicy(policy._id)}
      onClose={props.onClose}
    >
      {(fresh) => <PolicyForm policy={fresh} {...props} />}
    </OpenedItem>
  )
}

const labels = {
  name: 'Name',
  actions: 'Actions',
  conditions: 'Conditions',
  conditionLogic: 'Joint logic',
}

/** The switch is on if conditions are joined by 'and'. */
const show = (path: string, value: unknown): string | undefined =>
  path === 'conditionLogic' ? (value === 'and' ? 'On' : 'Off') : undefined

function PolicyForm({ policy, mode, others, onClose }: PolicyDialogProps) {
  const isEdit = mode === 'edit' && policy !== null
  const form = usePolicyForm(policy, isEdit, others)
  const [open, setOpen] = useState({ actions: false, conditions: false })
  const { onSubmit, problem, editing, isBusy, isSaved } = useSaveForm({
    form,
    item: isEdit ? policy : null,
    read: ({ _id }) => getPolicy(_id),
    valuesOf: policyValues,
    save: (values, over) =>
      over ? updatePolicy(over._id, { ...values, version: over.version }) : createPolicy(values),
    nameField: 'name',
    findMore: () => {
      if (open.actions) form.setFieldError('actions', unfinished)
      if (open.conditions) form.setFieldError('conditions', unfinished)
      return open.actions || open.conditions
    },
    describe: ({ name }) => `'${name}' was ${isEdit ? 'updated' : 'created'}.`,
    onClose,
  })
  return (
    <EditDialog
      title={titleOf(isEdit)}
      width={width}
      isDirty={(form.isDirty() || open.actions || open.conditions) && !isSaved}
      isBusy={isBusy}
      submitLabel={isEdit ? 'Save' : 'Create'}
      problem={problem}
      note={<SavedMeanwhile {...{ editing, isBusy, labels, show }} onOverwrite={onSubmit} />}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Stack gap="md">
        {policy === null && (
          <TemplateSelect
            onChoose={({ isAdmin, actions, name }) => {
              const isOwn = form.values.name !== '' && policyTemplates.every((each) => each.name !== form.values.name)
              form.setValues({ isAdmin, actions: [...actions], ...(!isOwn && { name }) })
              form.clearErrors()
            }}
          />
        )}
        <CountedInput label="Name" withAsterisk max={50} data-autofocus {...form.getInputProps('name')} />
        <Switch
          label="Is Admin"
          aria-label="Is Admin"
          description={
            isEdit
              ? 'Cannot be changed after creation.'
              : 'Only power admins see admin policies; only admin groups hold them.'
          }
          disabled={isEdit}
          {...form.getInputProps('isAdmin', { type: 'checkbox' })}
        />
        <Divider />
        <ActionEditor
          actions={form.values.actions}
          onChange={(actions) => form.setFieldValue('actions', actions)}
          error={listError(form.errors, 'actions')}
          onOpenChange={(isOpen) => {
            setOpen((now) => ({ ...now, actions: isOpen }))
            form.clearFieldError('actions')
          }}
        />
        <Divider />
        <ConditionEditor
          conditions={form.values.conditions}
          logic={form.values.conditionLogic}
          onChange={(conditions) => form.setFieldValue('conditions', conditions)}
          onLogicChange={(logic) => form.setFieldValue('conditionLogic', logic)}
          error={listError(form.errors, 'conditions')}
          onOpenChange={(isOpen) => {
            setOpen((now) => ({ ...now, conditions: isOpen }))
            form.clearFieldError('conditions')
          }}
        />
        {isEdit && policy.groups.length > 0 && !isSameDraft(form.values, policy) && (
          <>
            <Divider />
            <PolicyEffects id={policy._id} draft={form.values} />
          </>
        )}
      </Stack>
    </EditDialog>
  )
}

/** Problem of a list, or of its first invalid entry. */
function listError(errors: Record<string, unknown>, field: string): string | undefined {
  const [, message] = Object.entries(errors).find(([path]) => path === field || path.startsWith(`${field}.`)) ?? []
  return typeof message === 'string' ? message : undefined
}

function usePolicyForm(policy: Policy | null, isEdit: boolean, others: readonly Policy[]) {
  const validate = useMemo(() => {
    const edited = isEdit ? policy : null
    const taken = takenNames(
      others.filter(({ _id }) => _id !== edited?._id),
      edited?.name ?? null,
    )
    return schemaResolver(policySchema(taken), { sync: true })
  }, [others, isEdit, policy])
  return useForm<PolicyValues>({ initialValues: policyValues(policy), validate, validateInputOnChange: true })
}
