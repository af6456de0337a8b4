import { noAxis, refuseRunning } from '@portico/domain/dashboards/running-values'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import { Fieldset, Group, type InputWrapperProps, NumberInput, Select, Stack, Text } from '@mantine/core'

/** By the names of values, while they are edited: the number of points may be missing. */
export type RunningDraft = Record<string, { kind: 'cumulative' } | { kind: 'average'; points?: number }>

type RunningFieldsProps = {
  draft: RunningDraft
  grouping: Grouping
  /** Whether the groups follow each other along an axis. */
  hasAxes: boolean
  /** Messages by the path of the part: `running.count.points`. */
  problems: Record<string, string>
  onChange: (draft: RunningDraft | undefined) => void
}

/** Points of a new average: the days of a week. */
const usualPoints = 7

const kinds = { '': 'As it is', cumulative: 'Cumulative', average: 'Moving average' } as const

/** How each value of a chart runs over time. */
export function RunningFields({ draft, grouping, hasAxes, problems, onChange }: RunningFieldsProps) {
  const refusal = (value: string, kind: keyof typeof kinds): string | null => {
    if (kind === '') return null
    if (!hasAxes) return noAxis
    return refuseRunning(grouping, value, kind === 'average' ? { kind, points: usualPoints } : { kind })
  }
  const change = (value: string, next: RunningDraft[string] | null): void => {
    const { [value]: _before, ...others } = draft
    const all = next ? { ...others, [value]: next } : others
    onChange(Object.keys(all).length > 0 ? all : undefined)
  }
  const reasons = grouping.values.map((value) => refusal(value, 'average'))
  const isNeeded = grouping.values.some((value) => draft[value] !== undefined || refusal(value, 'cumulative') === null)
  return (
    <Fieldset legend="Over time">
      {!isNeeded && reasons.every((reason) => reason !== null) ? (
        <Text size="sm" c="dimmed">{`No cumulative values and no moving averages: ${reasons[0] ?? ''}`}</Text>
      ) : (
        <Stack gap="sm">
          {grouping.values.map((value) => (
            <OneValue
              key={value}
              {...{ value, refusal }}
              own={draft[value]}
              problem={problems[`running.${value}.points`]}
              onChange={(next) => change(value, next)}
            />
          ))}
        </Stack>
      )}
    </Fieldset>
  )
}

/** Fields next to each other are in one line, whichever has a description. */
const inputFirst: NonNullable<InputWrapperProps['inputWrapperOrder']> = ['label', 'input', 'description', 'error']

type OneValueProps = {
  value: string
  own: RunningDraft[string] | undefined
  refusal: (value: string, kind: keyof typeof kinds) => string | null
  problem: string | undefined
  onChange: (next: RunningDraft[string] | null) => void
}

function OneValue({ value, own, refusal, problem, onChange }: OneValueProps) {
  const entries = Object.entries(kinds) as [keyof typeof kinds, string][]
  const reasons = entries.map(([kind]) => refusal(value, kind)).filter((reason) => reason !== null)
  return (
    <Group grow align="flex-start">
      <Select
        label={`${value} over time`}
        description={reasons[0]}
        inputWrapperOrder={inputFirst}
        data={entries.map(([kind, label]) => ({ value: kind, label, disabled: refusal(value, kind) !== null }))}
        allowDeselect={false}
        value={own?.kind ?? ''}
        onChange={(kind) => {
          if (kind === 'cumulative') onChange({ kind })
          else onChange(kind === 'average' ? { kind, points: usualPoints } : null)
        }}
      />
      {own?.kind === 'average' && (
        <NumberInput
          label={`Points of ${value}`}
          description="From 2 to 90."
          inputWrapperOrder={inputFirst}
          withAsterisk
          hideControls
          allowDecimal={false}
          value={own.points ?? ''}
          error={problem}
          onChange={(typed) => onChange({ kind: 'average', ...(typeof typed === 'number' && { points: typed }) })}
        />
      )}
    </Group>
  )
}
