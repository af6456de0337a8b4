import { Alert, Input, SegmentedControl, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { useFields } from '#domain/fields'
import { messageOf } from '#lib/api/api-error.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { MultiChooser } from '#ui/form/multi-chooser.tsx'
import { typeLabels } from './access-columns.tsx'
import {
  type AccessValues,
  authenticationOptions,
  chosenColumns,
  columnLabel,
  columnsLabel,
  publicOptions,
} from './access-form.ts'
import { RatingNote } from './rating-note.tsx'
import type { useRating } from './remote-access-queries.ts'

type AccessForm = UseFormReturnType<AccessValues>

type AccessFieldsProps = {
  form: AccessForm
  /** Rating of the chosen authentication columns. */
  rating: ReturnType<typeof useRating>
  /** Only a stored access can be paused. */
  isEdited: boolean
}

/** The settings of a remote access. */
export function AccessFields({ form, rating, isEdited }: AccessFieldsProps) {
  const fields = useFields()
  const { publicColumns } = form.values
  return (
    <Stack gap="md">
      {isEdited && (
        <Switch
          label="Paused"
          aria-label="Paused"
          description="Callers are refused until you switch it off."
          {...form.getInputProps('isPaused', { type: 'checkbox' })}
        />
      )}
      <CallerFields form={form} />
      <FormProblem>{fields.error ? `The columns could not be loaded. ${messageOf(fields.error)}` : null}</FormProblem>
      <AuthenticationFields form={form} fields={fields} />
      <RatingNote rating={rating} />
      <MultiChooser
        label="Public Columns"
        description="Callers get these columns of the one contact they name."
        options={publicOptions(fields.data ?? [], publicColumns)}
        noun="columns"
        isLoading={fields.isPending}
        value={publicColumns}
        onChange={(names) => form.setFieldValue('publicColumns', names)}
        error={form.errors['publicColumns']}
      />
      <TextInput
        type="date"
        label="Expires on"
        description="Optional. Callers are refused from the start of this day."
        maw={260}
        {...form.getInputProps('expiresOn')}
      />
    </Stack>
  )
}

const domainWarning =
  'Browsers keep other pages out, but a program can pretend to be a page of this domain. Treat the public columns as public.'

/** The callers that are let in. */
function CallerFields({ form }: { form: AccessForm }) {
  const { type } = form.values
  const isDomain = type === 'domain'
  return (
    <>
      <Input.Wrapper label="Type" labelElement="div">
        <div>
          <SegmentedControl
            aria-label="Type"
            data={[
              { value: 'domain', label: typeLabels.domain },
              { value: 'ip', label: typeLabels.ip },
            ]}
            value={type}
            onChange={(next) => {
              form.setFieldValue('type', next === 'ip' ? 'ip' : 'domain')
              form.clearFieldError('domainOrIp')
            }}
          />
        </div>
      </Input.Wrapper>
      <TextInput
        label={typeLabels[type]}
        description={
          isDomain
            ? 'Such as shop.example.com or localhost:3000. Without a port, every port is let in.'
            : 'IPv4 format, such as 203.0.113.7, or ::1. Programs only: no page is let in by its address.'
        }
        withAsterisk
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('domainOrIp')}
      />
      {isDomain && (
        <>
          <Switch
            label="Include Subdomains"
            aria-label="Include Subdomains"
            description="Also lets in pages of all domains below it."
            {...form.getInputProps('includeSubDomains', { type: 'checkbox' })}
          />
          <Alert color="yellow" role="note" icon={<IconAlertTriangle size={18} />} py={8}>
            {domainWarning}
          </Alert>
        </>
      )}
    </>
  )
}

type AuthenticationFieldsProps = { form: AccessForm; fields: ReturnType<typeof useFields> }

/** The column, or pair of columns, by which callers identify a contact. */
function AuthenticationFields({ form, fields }: AuthenticationFieldsProps) {
  const { column, column2 } = form.values
  const chosen = chosenColumns(form.values)
  const names = authenticationOptions(fields.data ?? [], chosen)
  const offered = names.map((value) => ({ value, label: columnLabel(value) }))
  const nothing = names.length === 0 ? 'No columns are available.' : 'No matching columns found.'
  const options = {
    searchable: true,
    limit: 100,
    nothingFoundMessage: fields.isPending ? 'Loading items. Please wait...' : nothing,
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
      <Select
        label="Column to Authenticate with"
        description={
          chosen.length > 1
            ? `${columnsLabel(chosen)}: both values must match.`
            : 'Callers name a contact by its value.'
        }
        withAsterisk
        data={offered.filter(({ value }) => value !== column2)}
        {...options}
        {...form.getInputProps('column')}
      />
      <Select
        label="and a Second Column"
        description="Optional. Harder to guess than one."
        clearable
        clearButtonProps={{ 'aria-label': 'No second column' }}
        disabled={column === null}
        data={offered.filter(({ value }) => value !== column)}
        {...options}
        {...form.getInputProps('column2')}
      />
    </SimpleGrid>
  )
}
