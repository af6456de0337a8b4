import { impersonationHours } from '@portico/contract/impersonation'
import { Alert, Button, Group, Input, Slider, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMemo, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconLink from '#icons/IconLink'
import { formatCount } from '#lib/formats.ts'
import { useAccount, useUser } from '#lib/session/session.ts'
import { useSubmit } from '#lib/submit.ts'
import { Panel } from '#ui/page/panel.tsx'
import { useTypedInput } from '#ui/form/typed-input.ts'
import { copyLink, CreatedLink } from './created-link.tsx'
import { useMakeLink } from './impersonation-queries.ts'
import { groupPermissions, linkSchema, linkUrl, type LinkValues } from './impersonation-rules.ts'
import css from './impersonation-page.module.css'
import { PermissionTree } from './permission-tree.tsx'

const { min, max, default: usualHours } = impersonationHours
const validate = schemaResolver(linkSchema, { sync: true })

/** Creates a link: for which address, for how long, with which permissions. */
export function ImpersonationForm() {
  const { policies: held } = useUser()
  const { id: account } = useAccount()
  const groups = useMemo(() => groupPermissions(held), [held])
  const [url, setUrl] = useState<string | null>(null)
  const form = useForm<LinkValues>({
    initialValues: { ip: '', hours: usualHours, permissions: [] },
    validate,
    validateInputOnChange: true,
  })
  // The form's values are no longer needed once the link exists.
  useTypedInput(form.isDirty() && url === null)

  const { submit, problem, isBusy } = useSubmit(form, useMakeLink(), {
    done: (token) => {
      const made = linkUrl(window.location.origin, token, account)
      setUrl(made)
      void copyLink(made)
    },
  })
  function onSubmit(values: LinkValues): void {
    setUrl(null)
    submit({ ...values, ip: values.ip.trim(), held })
  }

  return (
    <form noValidate onSubmit={form.onSubmit(onSubmit, focusFirstWrong)}>
      <div className={css['panels']}>
        <Panel title="General">
          <Stack gap="md">
            <TextInput
              label="IP"
              description="The link works only from this address: IPv4, or ::1 for the portal's own machine."
              withAsterisk
              maxLength={15}
              autoComplete="off"
              {...form.getInputProps('ip')}
            />
            <HoursSlider value={form.values.hours} onChange={(hours) => form.setFieldValue('hours', hours)} />
          </Stack>
        </Panel>
        <Panel title="Permissions" description="Choose which of your permissions the link has.">
          <PermissionTree
            groups={groups}
            chosen={form.values.permissions}
            onChange={(permissions) => form.setFieldValue('permissions', permissions)}
            error={form.errors['permissions'] as string | undefined}
          />
        </Panel>
      </div>
      <Stack gap="sm" mt="sm">
        {problem !== null && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {problem}
          </Alert>
        )}
        <div aria-live="polite">{url !== null && <CreatedLink url={url} onClose={() => setUrl(null)} />}</div>
        <Group justify="flex-end">
          <Button type="submit" leftSection={<IconLink size={15} aria-hidden />} loading={isBusy}>
            Submit
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function HoursSlider({ value, onChange }: { value: number; onChange: (hours: number) => void }) {
  return (
    <div>
      <Input.Label component="div">
        Expires in <b>{formatCount(value, 'hour')}</b>
      </Input.Label>
      <Slider
        min={min}
        max={max}
        step={1}
        value={value}
        onChange={onChange}
        label={(hours) => formatCount(hours, 'hour')}
        thumbLabel="Expires in hours"
        marks={[min, 12, 24, 36, max].map((hours) => ({ value: hours, label: `${hours} h` }))}
        mt={6}
        mb={22}
        mx={8}
      />
    </div>
  )
}

/** Once the messages are rendered. */
function focusFirstWrong(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus())
}
