import { days, type LimitEffect } from '@portico/contract/identities'
import type { UseFormReturnType } from '@mantine/form'
import { Checkbox, SegmentedControl, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useUser } from '#lib/session/session.ts'
import { ToggleRow } from '#ui/form/toggle-row.tsx'
import { type IdentityValues, inOrderOfWeek, clock, dayNames, shortDay } from '#domain/access'

export type IdentityForm = UseFormReturnType<IdentityValues>

type HolderFieldsProps = { form: IdentityForm; mayBeService: boolean }

/** The holder of the identity: a person with email and user name, or a service with a name. */
export function HolderFields({ form, mayBeService }: HolderFieldsProps) {
  const isService = form.values.serviceName !== undefined
  return (
    <>
      {mayBeService && <KindField form={form} />}
      {isService ? (
        <TextInput
          label="Name"
          description="What the audit log calls the program, such as 'Nightly sync'. A service identity has no password and gets no email; it calls the API with its credentials."
          autoComplete="off"
          withAsterisk
          maxLength={50}
          data-autofocus
          {...form.getInputProps('serviceName')}
        />
      ) : (
        <PersonFields form={form} />
      )}
    </>
  )
}

function KindField({ form }: { form: IdentityForm }) {
  const isService = form.values.serviceName !== undefined
  return (
    <SegmentedControl
      aria-label="Kind"
      w="fit-content"
      data={[
        { value: 'person', label: 'Person' },
        { value: 'service', label: 'Service' },
      ]}
      value={isService ? 'service' : 'person'}
      onChange={(kind) => {
        form.setValues(
          kind === 'service' ? { email: undefined, serviceName: '' } : { email: '', serviceName: undefined },
        )
        form.clearErrors()
      }}
    />
  )
}

function PersonFields({ form }: { form: IdentityForm }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        withAsterisk
        data-autofocus
        {...form.getInputProps('email')}
      />
      <TextInput label="User Name" autoComplete="off" {...form.getInputProps('userName')} />
    </SimpleGrid>
  )
}

/** Not offered in a sub-account, which has no sub-accounts. */
export function SubAccountsField({ form }: { form: IdentityForm }) {
  const { parent } = useUser()
  if (parent !== null) return null
  return (
    <Checkbox
      label="Access to All Subaccounts"
      {...form.getInputProps('accessToAllSubAccounts', { type: 'checkbox' })}
    />
  )
}

const dayOptions = days.map((day) => ({ value: day, label: shortDay(day), title: dayNames[day] }))
const hourOptions = Array.from({ length: 24 }, (_, hour) => ({
  value: hour,
  label: String(hour),
  title: `${clock(hour)} to ${clock(hour + 1)}`,
}))

/** The times and networks of the identity's access. */
export function LimitFields({ form }: { form: IdentityForm }) {
  const { values } = form
  return (
    <>
      <ToggleRow
        label="Days"
        description="No days selected: access on any day."
        options={dayOptions}
        value={values.days}
        onChange={(chosen) => {
          form.setFieldValue('days', inOrderOfWeek(chosen))
          if (chosen.length === 0) form.setFieldValue('daysEffect', null)
        }}
      />
      {values.days.length > 0 && <EffectField form={form} field="daysEffect" label="Days Effect" one="on these days" />}
      <ToggleRow
        label="Hours"
        description="No hours selected: access at any hour. Hours are in the time zone of the identity's account."
        options={hourOptions}
        value={values.hours}
        columns={12}
        onChange={(chosen) => {
          form.setFieldValue(
            'hours',
            chosen.toSorted((a, b) => a - b),
          )
          if (chosen.length === 0) form.setFieldValue('hoursEffect', null)
        }}
      />
      {values.hours.length > 0 && (
        <EffectField form={form} field="hoursEffect" label="Hours Effect" one="in these hours" />
      )}
      <TextInput
        label="CIDR"
        description="An IPv4 address or range such as 203.0.113.0/24, or IPv6 such as 2001:db8::/32. Leave empty to allow any address."
        {...form.getInputProps('cidr')}
      />
    </>
  )
}

type EffectFieldProps = { form: IdentityForm; field: 'daysEffect' | 'hoursEffect'; label: string; one: string }

function EffectField({ form, field, label, one }: EffectFieldProps) {
  return (
    <Select
      label={label}
      withAsterisk
      maw={320}
      placeholder="Choose"
      data={[
        { value: 'in', label: `Access only ${one}` },
        { value: 'nin', label: `No access ${one}` },
      ]}
      allowDeselect={false}
      value={form.values[field]}
      error={form.errors[field]}
      // The options are the effects.
      onChange={(value) => form.setFieldValue(field, value as LimitEffect)}
    />
  )
}
