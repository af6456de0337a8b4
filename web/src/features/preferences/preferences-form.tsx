import { type AccountPreferences, menuNames, timeoutMinutes } from '@portico/contract/preferences'
import { Alert, Button, Paper, Select, Switch, Tabs } from '@mantine/core'
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconClock from '#icons/IconClock'
import IconLayoutNavbar from '#icons/IconLayoutNavbar'
import { editedForm, SavedMeanwhile, useEditing } from '#domain/editing'
import { useSubmit } from '#lib/submit.ts'
import { unsavedQuestion, useLeaving } from '#ui/form/unsaved.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { LeaveDialog } from '#ui/dialog/leave-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { TabLabel } from '#ui/page/tab-label.tsx'
import { MenusTab } from './menus-tab.tsx'
import { getPreferences, useSavePreferences } from './preferences-queries.ts'
import {
  type Audience,
  audienceLabels,
  menuLabels,
  preferencesSchema,
  type PreferencesValues,
  toPreferences,
  toValues,
} from './preferences-rules.ts'

type Tab = 'menus' | 'session'
const validate = schemaResolver(preferencesSchema, { sync: true })
const resetQuestion = 'The form will reset and your unsaved changes will be lost. Do you still want to continue?'

const labels: Record<string, string> = {
  menus: 'Menus',
  timeout: 'Timeout',
  requiresTwoFactor: 'Require two-factor',
  fullScreenIsActivity: 'Keep full-screen dashboards signed in',
  ...Object.fromEntries(
    menuNames.flatMap((name) => [
      [`menus.${name}.audience`, menuLabels[name]],
      [`menus.${name}.emails`, `${menuLabels[name]}: e-mails`],
    ]),
  ),
}

function show(path: string, value: unknown): string | undefined {
  if (path === 'timeout') return `${String(value)} minutes`
  // The values at these paths are audiences.
  return path.endsWith('.audience') ? audienceLabels[value as Audience] : undefined
}

export function PreferencesForm({ saved }: { saved: AccountPreferences }) {
  const [tab, setTab] = useState<Tab>('menus')
  const [isAsking, asking] = useDisclosure()
  const form = useForm<PreferencesValues>({ initialValues: toValues(saved), validate, validateInputOnChange: true })
  const editing = useEditing({ item: saved, read: getPreferences, valuesOf: toValues, form: editedForm(form) })
  const save = useSavePreferences((put) =>
    editing.save(async (over) => {
      const wanted = toPreferences(form.values, over ?? saved)
      await put(wanted)
      // The call returns no version: each save increments it by one.
      editing.restart({ ...wanted, version: wanted.version + 1 })
      form.setInitialValues(form.values)
      form.resetDirty(form.values)
    }),
  )
  const { submit, problem, setProblem, isBusy } = useSubmit(form, save, {
    done: () => notifyDone('Preferences were updated.'),
  })
  const onSubmit = form.onSubmit(
    () => submit(),
    () => showFirstWrong(setTab),
  )
  const isDirty = form.isDirty()

  function onReset(): void {
    form.reset()
    setProblem(null)
    asking.close()
  }

  return (
    <form noValidate onSubmit={onSubmit}>
      <LeaveDialog leaving={useLeaving(isDirty && !isBusy)} title="Unsaved changes" question={unsavedQuestion} />
      <ConfirmDialog
        isOpen={isAsking}
        title="Reset preferences"
        question={resetQuestion}
        confirmLabel="Yes, reset"
        onConfirm={onReset}
        onClose={asking.close}
      />
      <PageHeader
        title="Preferences"
        description="Applies to everyone in this account."
        actions={
          <>
            <Button variant="default" disabled={!isDirty} onClick={asking.open}>
              Reset
            </Button>
            <Button type="submit" disabled={!isDirty} loading={isBusy}>
              Save
            </Button>
          </>
        }
      />
      <SavedMeanwhile {...{ editing, labels, show, isBusy }} onOverwrite={() => onSubmit()} />
      {problem !== null && (
        <Alert color="red" mb="sm" icon={<IconAlertTriangle size={18} />} role="alert">
          {problem.split('\n').map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Alert>
      )}
      <Paper p="md">
        {/* The values are those of the tabs below. */}
        <Tabs value={tab} onChange={(value) => setTab(value as Tab)}>
          <Tabs.List mb="xs">
            <Tabs.Tab value="menus" leftSection={<IconLayoutNavbar size={15} aria-hidden />}>
              <TabLabel isWrong={tab !== 'menus' && !form.isValid()}>Menus</TabLabel>
            </Tabs.Tab>
            <Tabs.Tab value="session" leftSection={<IconClock size={15} aria-hidden />}>
              Session
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="menus">
            <MenusTab form={form} />
          </Tabs.Panel>
          <Tabs.Panel value="session">
            <SessionTab form={form} />
          </Tabs.Panel>
        </Tabs>
      </Paper>
    </form>
  )
}

/** Only menus can be invalid. */
function showFirstWrong(setTab: (tab: Tab) => void): void {
  setTab('menus')
  requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus())
}

function SessionTab({ form }: { form: UseFormReturnType<PreferencesValues> }) {
  return (
    <>
      <Select
        label="Timeout"
        description="Sign users out after this much inactivity."
        w={{ base: '100%', xs: 280 }}
        mt="sm"
        data={timeoutMinutes.map((minutes) => ({ value: String(minutes), label: `${minutes} minutes` }))}
        allowDeselect={false}
        {...form.getInputProps('timeout')}
      />
      <Switch
        mt="lg"
        label="Require two-factor"
        aria-label="Require two-factor"
        description="Users without two-factor must set it up before they can use this account. API credentials are not affected."
        maw={560}
        {...form.getInputProps('requiresTwoFactor', { type: 'checkbox' })}
      />
      <Switch
        mt="lg"
        label="Keep full-screen dashboards signed in"
        aria-label="Keep full-screen dashboards signed in"
        description="A dashboard that refreshes itself on the whole screen counts as activity, at most until the session's 12 hours are over."
        maw={560}
        {...form.getInputProps('fullScreenIsActivity', { type: 'checkbox' })}
      />
    </>
  )
}
