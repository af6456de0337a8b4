import { Button, Group, Input, SegmentedControl, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useId } from 'react'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { changeSettings, rowsPerPageOptions, type Settings, useSettings } from '#lib/settings.ts'
import { unsavedQuestion, useLeaving } from '#ui/form/unsaved.ts'
import { LeaveDialog } from '#ui/dialog/leave-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { Panel } from '#ui/page/panel.tsx'
import css from './user-settings-page.module.css'

type Values = Pick<
  Settings,
  'keepLastPageViewed' | 'areTablesDensed' | 'singleExpand' | 'rowsPerPage' | 'hasChartPatterns'
>

/** How the portal looks for this person, in this browser. */
export function UserSettingsPage() {
  usePageTitle('Settings')
  useLastPageViewed()
  const { keepLastPageViewed, areTablesDensed, singleExpand, rowsPerPage, hasChartPatterns } = useSettings()
  const initialValues = { keepLastPageViewed, areTablesDensed, singleExpand, rowsPerPage, hasChartPatterns }
  const form = useForm<Values>({ initialValues })
  const isDirty = form.isDirty()

  function onSubmit(values: Values): void {
    changeSettings(values)
    form.resetDirty(values)
    notifyDone('Settings were updated.')
  }

  return (
    <form noValidate onSubmit={form.onSubmit(onSubmit)}>
      <LeaveDialog leaving={useLeaving(isDirty)} title="Unsaved changes" question={unsavedQuestion} />
      <PageHeader
        title="Settings"
        description="Display settings, saved in this browser."
        actions={
          <Button type="submit" disabled={!isDirty}>
            Save
          </Button>
        }
      />
      <div className={css['panels']}>
        <Panel title="General">
          <SwitchRow description="Signing in and Identity & Access open the last page you viewed.">
            {(id) => (
              <Switch
                label="Keep last page viewed"
                aria-describedby={id}
                {...form.getInputProps('keepLastPageViewed', { type: 'checkbox' })}
              />
            )}
          </SwitchRow>
        </Panel>
        <Panel title="Charts">
          <SwitchRow description="Adds a pattern to each colour, so that values can be told apart without colours.">
            {(id) => (
              <Switch
                label="Patterns"
                aria-describedby={id}
                {...form.getInputProps('hasChartPatterns', { type: 'checkbox' })}
              />
            )}
          </SwitchRow>
        </Panel>
        <Panel title="Tables">
          <Stack gap="md">
            <SwitchRow description="Shows more rows at once.">
              {(id) => (
                <Switch
                  label="Dense rows"
                  aria-describedby={id}
                  {...form.getInputProps('areTablesDensed', { type: 'checkbox' })}
                />
              )}
            </SwitchRow>
            <SwitchRow description="Opening a row closes the open one.">
              {(id) => (
                <Switch
                  label="Single expand"
                  aria-describedby={id}
                  {...form.getInputProps('singleExpand', { type: 'checkbox' })}
                />
              )}
            </SwitchRow>
            <RowsPerPage value={form.values.rowsPerPage} onChange={(rows) => form.setFieldValue('rowsPerPage', rows)} />
          </Stack>
        </Panel>
      </div>
    </form>
  )
}

function SwitchRow({ description, children }: { description: string; children: (descriptionId: string) => ReactNode }) {
  const id = useId()
  return (
    <div>
      {children(id)}
      <Input.Description id={id} className={css['description'] ?? ''}>
        {description}
      </Input.Description>
    </div>
  )
}

type RowsPerPageProps = { value: Values['rowsPerPage']; onChange: (rows: Values['rowsPerPage']) => void }

function RowsPerPage({ value, onChange }: RowsPerPageProps) {
  const id = useId()
  return (
    <div>
      <Input.Label component="div" id={id}>
        Rows per page
      </Input.Label>
      <Group>
        <SegmentedControl
          size="xs"
          aria-labelledby={id}
          data={rowsPerPageOptions.map(String)}
          value={String(value)}
          onChange={(text) => {
            const rows = rowsPerPageOptions.find((option) => String(option) === text)
            if (rows !== undefined) onChange(rows)
          }}
        />
      </Group>
    </div>
  )
}
