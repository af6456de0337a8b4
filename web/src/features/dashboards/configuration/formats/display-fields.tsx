import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import { Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { type RunningDraft, RunningFields } from './running-fields.tsx'

/** A display while it is edited: numbers may be missing. */
export type DisplayDraft = {
  goal?: { value?: number; label?: string | undefined } | undefined
  band?: { from?: number; to?: number; label?: string | undefined } | undefined
  top?: { groups?: number; hasOther: boolean } | undefined
  order?: ChartDisplay['order']
  running?: RunningDraft | undefined
}

type DisplayFieldsProps = {
  draft: DisplayDraft
  /** Whether the kind of chart has axes of values. */
  hasAxes: boolean
  hasGroups: boolean
  /** Of a drawn chart with groups. */
  grouping: Grouping | null
  /** Messages by the path of the part: `goal.value`. */
  problems: Record<string, string>
  onChange: (draft: DisplayDraft) => void
}

/** The goal and the range of a chart, and which of its groups it shows. */
export function DisplayFields({ draft, hasAxes, hasGroups, grouping, problems, onChange }: DisplayFieldsProps) {
  const { goal, band } = draft
  return (
    <Stack gap="lg">
      {hasGroups && <GroupFields {...{ draft, problems, onChange }} />}
      {grouping && (
        <RunningFields
          draft={draft.running ?? {}}
          {...{ grouping, hasAxes, problems }}
          onChange={(running) => onChange(withPart(draft, 'running', running))}
        />
      )}
      {hasAxes && (
        <Fieldset legend="Goal and range">
          <Stack gap="sm">
            <Switch
              label="Goal line"
              checked={goal !== undefined}
              onChange={(event) => onChange(withPart(draft, 'goal', event.currentTarget.checked ? {} : undefined))}
            />
            {goal && (
              <SimpleGrid cols={2} spacing="sm">
                <NumberPart
                  label="Goal"
                  value={goal.value}
                  error={problems['goal.value']}
                  onChange={(value) => onChange(withPart(draft, 'goal', { ...labelOf(goal), ...value }))}
                />
                <TextInput
                  label="Label of the goal"
                  placeholder="Goal"
                  maxLength={60}
                  value={goal.label ?? ''}
                  error={problems['goal.label']}
                  onChange={(event) => onChange(withPart(draft, 'goal', { ...goal, label: event.currentTarget.value }))}
                />
              </SimpleGrid>
            )}
            <Switch
              label="Range"
              checked={band !== undefined}
              onChange={(event) => onChange(withPart(draft, 'band', event.currentTarget.checked ? {} : undefined))}
            />
            {band && (
              <SimpleGrid cols={2} spacing="sm">
                {(['from', 'to'] as const).map((part) => (
                  <NumberPart
                    key={part}
                    label={part === 'from' ? 'Range from' : 'Range to'}
                    value={band[part]}
                    error={problems[`band.${part}`]}
                    onChange={({ value }) => {
                      const { [part]: _before, ...others } = band
                      onChange(withPart(draft, 'band', value === undefined ? others : { ...others, [part]: value }))
                    }}
                  />
                ))}
                <TextInput
                  label="Label of the range"
                  placeholder="Range"
                  maxLength={60}
                  value={band.label ?? ''}
                  error={problems['band.label']}
                  onChange={(event) => onChange(withPart(draft, 'band', { ...band, label: event.currentTarget.value }))}
                />
              </SimpleGrid>
            )}
          </Stack>
        </Fieldset>
      )}
    </Stack>
  )
}

const labelOf = ({ label }: { label?: string | undefined }) => (label === undefined ? {} : { label })

function withPart<Part extends keyof DisplayDraft>(
  draft: DisplayDraft,
  part: Part,
  value: DisplayDraft[Part] | undefined,
): DisplayDraft {
  const { [part]: _before, ...others } = draft
  return value === undefined ? others : { ...others, [part]: value }
}

type NumberPartProps = {
  label: string
  value: number | undefined
  error: string | undefined
  onChange: (part: { value?: number }) => void
}

function NumberPart({ label, value, error, onChange }: NumberPartProps) {
  return (
    <NumberInput
      label={label}
      withAsterisk
      hideControls
      value={value ?? ''}
      error={error}
      onChange={(typed) => onChange(typeof typed === 'number' ? { value: typed } : {})}
    />
  )
}

const usualTop = 10

function GroupFields({ draft, problems, onChange }: Pick<DisplayFieldsProps, 'draft' | 'problems' | 'onChange'>) {
  const { top, order } = draft
  return (
    <Fieldset legend="Groups">
      <Stack gap="sm">
        <Select
          label="Order of groups"
          data={[
            { value: '', label: 'As the filter says' },
            { value: 'value', label: 'Largest value first' },
            { value: 'label', label: 'By label' },
          ]}
          allowDeselect={false}
          value={order ?? ''}
          onChange={(chosen) =>
            onChange(withPart(draft, 'order', chosen === 'value' || chosen === 'label' ? chosen : undefined))
          }
        />
        <Switch
          label="Only the largest groups"
          checked={top !== undefined}
          onChange={(event) =>
            onChange(
              withPart(draft, 'top', event.currentTarget.checked ? { groups: usualTop, hasOther: true } : undefined),
            )
          }
        />
        {top && (
          <>
            <NumberPart
              label="Number of groups"
              value={top.groups}
              error={problems['top.groups']}
              onChange={({ value }) =>
                onChange(
                  withPart(draft, 'top', { hasOther: top.hasOther, ...(value !== undefined && { groups: value }) }),
                )
              }
            />
            <Switch
              label="The rest as 'Other'"
              checked={top.hasOther}
              onChange={(event) => onChange(withPart(draft, 'top', { ...top, hasOther: event.currentTarget.checked }))}
            />
          </>
        )}
      </Stack>
    </Fieldset>
  )
}
