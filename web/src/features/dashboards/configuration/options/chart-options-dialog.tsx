import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { type ChartOptions, regionKindOf } from '@portico/contract/dashboards/chart-options'
import { Alert, SimpleGrid, Tabs, Text } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { TabLabel } from '#ui/page/tab-label.tsx'
import { CellPreview } from '../cell-preview.tsx'
import { chosenKind } from '../cell-kinds.ts'
import sides from '../chart-configuration-dialog.module.css'
import type { Problems } from '../chart-problems.ts'
import { SaveButtons } from '../save-buttons.tsx'
import { checkDraft, isAt, type OptionsDraft, storedOptions } from './check-draft.ts'
import { NumberedOptions } from './numbered-options.tsx'
import { OptionControl } from './option-control.tsx'
import { type OptionField, type OptionTab, optionTabs } from './option-fields.ts'
import type { OptionValues } from './option-values.ts'
import css from './options.module.css'
import { RegionField, typedRegion } from './region-field.tsx'

type ChartOptionsDialogProps = {
  chart: CellChart
  /** Parts that the cell lacks to be shown. */
  problems: Problems
  /** The initial options; some of them may be invalid. */
  options: OptionValues
  onSave: (options: ChartOptions) => void
  onClose: () => void
}

/** Edits the options of a chart in tabs, with the chart next to them (specification 1 §2). */
export function ChartOptionsDialog({ chart, problems: lacks, options, onSave, onClose }: ChartOptionsDialogProps) {
  const kind = chosenKind(chart)
  const [draft, setDraft] = useState<OptionsDraft>(() => ({
    options,
    region: typedRegion(options['region'], regionKindOf),
  }))
  const [isDirty, setDirty] = useState(false)
  const [shown, setShown] = useState<ChartOptions>(chart.options)
  const tabs = useMemo(() => optionTabs(kind), [kind])
  const [tab, setTab] = useState<string | null>('general')
  const form = useRef<HTMLDivElement>(null)
  const problems = useMemo(() => checkDraft(kind, draft), [kind, draft])
  const preview = useMemo(() => ({ ...chart, options: shown }), [chart, shown])
  const ofTab = ({ fields }: OptionTab) => problems.filter(({ path }) => fields.some((field) => isAt(path, field.path)))
  const elsewhere = problems.filter((problem) => !tabs.some((each) => ofTab(each).includes(problem)))

  const change = (next: OptionsDraft): void => {
    setDraft(next)
    setDirty(true)
    if (checkDraft(kind, next).length === 0) setShown(storedOptions(kind, next))
  }
  const submit = (): void => {
    if (problems.length === 0) {
      onSave(storedOptions(kind, draft))
      return onClose()
    }
    const wrong = tabs.find((each) => ofTab(each).length > 0)
    if (wrong) setTab(wrong.name)
    // Once its tab is rendered.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <FormDialog title="Chart Options" width={1040} guard={{ isDirty, isBusy: false }} onClose={onClose}>
      <DialogForm
        onSubmit={submit}
        footer={
          <SaveButtons reason={problems.length === 0 ? null : 'Correct the marked options first.'} onCancel={onClose} />
        }
      >
        <div className={sides['sides']}>
          <div ref={form} className={css['form']}>
            {elsewhere.length > 0 && (
              <Alert color="red" mb="sm" title="Options that only the JSON shows are wrong">
                {elsewhere.map(({ path, message }) => (
                  <div key={path.join('.')}>{`${path.join('.')}: ${message}`}</div>
                ))}
              </Alert>
            )}
            <Tabs value={tab} onChange={setTab} keepMounted={false}>
              <Tabs.List mb="md" className={css['tabs'] ?? ''}>
                {tabs.map((each, at) => (
                  <Tabs.Tab
                    key={each.name}
                    value={each.name}
                    className={css['tab'] ?? ''}
                    {...(at === 0 && { 'data-autofocus': true })}
                  >
                    <TabLabel isWrong={ofTab(each).length > 0}>{each.label}</TabLabel>
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {tabs.map((each) => (
                <Tabs.Panel key={each.name} value={each.name} mih={{ base: 0, sm: 470 }}>
                  <TabFields tab={each} draft={draft} problems={problems} onChange={change} />
                </Tabs.Panel>
              ))}
            </Tabs>
          </div>
          <CellPreview chart={preview} problems={lacks} />
        </div>
      </DialogForm>
    </FormDialog>
  )
}

type TabFieldsProps = {
  tab: OptionTab
  draft: OptionsDraft
  problems: ReturnType<typeof checkDraft>
  onChange: (draft: OptionsDraft) => void
}

function TabFields({ tab, draft, problems, onChange }: TabFieldsProps) {
  const problemOf = (path: readonly string[]): string | undefined =>
    problems.find((problem) => problem.path.join('.') === path.join('.'))?.message
  return (
    <>
      {tab.note !== undefined && (
        <Text size="sm" c="dimmed" mb="sm">
          {tab.note}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        {tab.fields.map((field) => (
          <Field key={field.path.join('.')} {...{ field, draft, problemOf, onChange }} />
        ))}
      </SimpleGrid>
    </>
  )
}

type FieldProps = {
  field: OptionField
  draft: OptionsDraft
  problemOf: (path: readonly string[]) => string | undefined
  onChange: (draft: OptionsDraft) => void
}

function Field({ field, draft, problemOf, onChange }: FieldProps) {
  const { control } = field
  const { options, region } = draft
  const write = (next: OptionValues): void => onChange({ ...draft, options: next })
  if (control.kind === 'region') {
    return (
      <RegionField
        value={region}
        error={problemOf(field.path)}
        onChange={(next) => onChange({ ...draft, region: next })}
      />
    )
  }
  if (control.kind === 'numbered') {
    return <NumberedOptions field={{ ...field, control }} {...{ options, problemOf }} onChange={write} />
  }
  return <OptionControl field={{ ...field, control }} {...{ options, problemOf }} onChange={write} />
}
