import type { FieldEntry } from '@portico/contract/fields'
import { fieldNameMaxLength } from '@portico/contract/contacts'
import { messages } from '@portico/contract/messages'
import { type FieldFormat, formatStyles, usualCurrency, writeNumber } from '@portico/domain/field-format'
import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { decimalChoices, styleLabels } from '#domain/fields'
import { useForm, type UseFormReturnType } from '@mantine/form'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { editedForm, OpenedItem, SavedMeanwhile, useEditing } from '#domain/editing'
import { useSubmit } from '#lib/submit.ts'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { formatText } from './field-texts.ts'
import { readField, useUpdateField } from './fields-queries.ts'

type FieldDialogProps = { field: FieldEntry; onClose: () => void }

const width = 520

/** Renames a field, and chooses how its numbers are shown. */
export function FieldDialog({ field, onClose }: FieldDialogProps) {
  return (
    <OpenedItem title={`Edit ${field.name}`} width={width} read={() => readField(field._id)} onClose={onClose}>
      {(fresh) => <FieldForm field={fresh} onClose={onClose} />}
    </OpenedItem>
  )
}

/** `style` is '' for the format derived from the values; `decimals` is '' for as many as each value has. */
type Values = { name: string; style: FieldFormat['style'] | ''; decimals: string; currency: string }

const valuesOf = ({ name, chosenFormat: chosen }: FieldEntry): Values => ({
  name,
  style: chosen?.style ?? '',
  decimals: chosen?.decimals?.toString() ?? '',
  currency: chosen?.currency ?? usualCurrency,
})

function formatOf({ style, decimals, currency }: Values): FieldFormat | null {
  if (style === '') return null
  return {
    style,
    decimals: decimals === '' ? null : Number(decimals),
    currency: style === 'currency' ? currency.trim().toUpperCase() : null,
  }
}

const isCurrency = (text: string): boolean => /^[A-Z]{3}$/i.test(text.trim())

const labels = { name: 'Name', format: 'Format', style: 'Format', decimals: 'Decimals', currency: 'Currency' }

function FieldForm({ field, onClose }: FieldDialogProps) {
  const form = useForm<Values>({
    initialValues: valuesOf(field),
    validate: {
      name: (name) => (name.trim() === '' ? messages.required : null),
      currency: (currency, { style }) =>
        style === 'currency' && !isCurrency(currency) ? 'Enter the three letters of a currency, such as USD.' : null,
    },
    validateInputOnChange: true,
  })
  const editing = useEditing({ item: field, read: ({ _id }) => readField(_id), valuesOf, form: editedForm(form) })
  const { submit, problem, isBusy } = useSubmit(form, useUpdateField(field._id, editing.save), {
    nameField: 'name',
    findField: (name) => (name === 'name' ? 'name' : name.startsWith('format') ? 'style' : null),
    done: ({ name }) => {
      notifyDone(name === field.name ? `'${name}' was updated.` : `'${field.name}' is now '${name}'.`)
      onClose()
    },
    refused: focusFirstProblem,
  })
  const onSubmit = (values: Values): void =>
    submit({ name: values.name, ...(field.type === 'number' && { format: formatOf(values) }) })
  return (
    <FormDialog
      title={`Edit ${field.name}`}
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
              <Button type="submit" loading={isBusy} disabled={!form.isDirty()}>
                Save
              </Button>
            </Group>
          </>
        }
      >
        <SavedMeanwhile {...{ editing, isBusy, labels }} onOverwrite={() => onSubmit(form.values)} />
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="Filters, dashboards, crons, indexes and everything else stored here follow a new name. Files and web pages outside of the portal do not."
            withAsterisk
            maxLength={fieldNameMaxLength}
            data-autofocus
            {...form.getInputProps('name')}
          />
          {field.type === 'number' && <FormatFields form={form} field={field} />}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

const sampleNumber = 1234.5

function FormatFields({ form, field }: { form: UseFormReturnType<Values>; field: FieldEntry }) {
  const { values } = form
  const chosen = formatOf(values)
  const isWritten = chosen !== null && (chosen.currency === null || isCurrency(chosen.currency))
  const usual = formatText({ ...field, format: field.chosenFormat === null ? field.format : null })
  return (
    <>
      <Select
        label="Format"
        description="How lists, contacts, charts and dashboards show these numbers. The numbers stay the same."
        data={[
          { value: '', label: field.chosenFormat === null ? `Automatic (${usual})` : 'Automatic' },
          ...formatStyles.map((style) => ({ value: style, label: styleLabels[style] })),
        ]}
        allowDeselect={false}
        {...form.getInputProps('style')}
      />
      {values.style !== '' && (
        <Select label="Decimals" data={decimalChoices} allowDeselect={false} {...form.getInputProps('decimals')} />
      )}
      {values.style === 'currency' && (
        <TextInput
          label="Currency"
          description="Three letters, such as USD, EUR or GBP."
          maxLength={3}
          withAsterisk
          {...form.getInputProps('currency')}
        />
      )}
      {isWritten && (
        <Text size="xs" c="dimmed" component="output">{`1234.5 is shown as ${writeNumber(sampleNumber, chosen)}`}</Text>
      )}
    </>
  )
}
