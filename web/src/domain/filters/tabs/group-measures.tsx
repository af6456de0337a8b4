import { ActionIcon, Button, TextInput } from '@mantine/core'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { columnsOf, type GroupDraft, type MeasureDraft, newFigure, newMeasure } from '../draft.ts'
import type { FilterField } from '../stages/filter.ts'
import { FigureConditions } from './figure-conditions.tsx'
import { FigureInputs } from './figure-inputs.tsx'
import css from './group-tab.module.css'

type GroupMeasuresProps = {
  group: GroupDraft
  change: (part: Partial<GroupDraft>) => void
  fields: readonly FilterField[]
  problems: Record<string, string>
}

/** The values that are computed of each group, each with a column of its own. */
export function GroupMeasures({ group, change, fields, problems }: GroupMeasuresProps) {
  const { measures } = group
  const usual = columnsOf(group)
  const isDistinct = measures[0]?.operator === 'distinct'

  function replace(index: number, next: MeasureDraft): void {
    // Distinct lists the groups without any value.
    const isAlone = next.operator === 'distinct'
    change({
      measures: isAlone ? [{ ...next, conditions: [], divisor: null }] : measures.with(index, next),
      ...(isAlone && group.sortBy !== null && { sortBy: 'id' }),
    })
  }

  function remove(index: number): void {
    const { sortBy } = group
    const isAfter = typeof sortBy === 'number' && sortBy > index
    change({
      measures: measures.toSpliced(index, 1),
      sortBy: sortBy === index ? 'id' : isAfter ? sortBy - 1 : sortBy,
    })
  }

  return (
    <>
      {measures.map((measure, index) => (
        <MeasureInputs
          key={measure.key}
          of={index === 0 ? '' : ` of value ${index + 1}`}
          isFirst={index === 0}
          measure={measure}
          usual={usual[index] ?? ''}
          fields={fields}
          problems={problems}
          onChange={(next) => replace(index, next)}
          {...(index > 0 && { onRemove: () => remove(index) })}
        />
      ))}
      {!isDistinct && (
        <Button
          variant="default"
          size="xs"
          className={css['add'] ?? ''}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change({ measures: [...measures, newMeasure()] })}
        >
          Add value
        </Button>
      )}
    </>
  )
}

type MeasureInputsProps = {
  /** Tells the inputs of several measures apart. */
  of: string
  isFirst: boolean
  measure: MeasureDraft
  usual: string
  fields: readonly FilterField[]
  problems: Record<string, string>
  onChange: (measure: MeasureDraft) => void
  onRemove?: () => void
}

function MeasureInputs({ of, isFirst, measure, usual, fields, problems, onChange, onRemove }: MeasureInputsProps) {
  const { key, operator, name, divisor } = measure
  const isComputed = operator !== null && operator !== 'distinct'
  const ofDivisor = isFirst ? ' of the divisor' : ` of the divisor${of}`
  return (
    <fieldset className={css['measure']}>
      <legend className={css['legend']}>{isFirst ? 'Value' : `Value${of.replace(' of value', '')}`}</legend>
      <div className={css['inputs']}>
        <FigureInputs
          of={of}
          hasDistinct={isFirst}
          figure={measure}
          fields={fields}
          problems={problems}
          onChange={(figure) => onChange({ ...measure, ...figure })}
        />
        {isComputed && (
          <TextInput
            label={isFirst ? 'Name of the value' : `Name${of}`}
            placeholder={usual}
            maxLength={200}
            value={name}
            error={problems[`${key}.name`]}
            onChange={(event) => onChange({ ...measure, name: event.currentTarget.value })}
          />
        )}
      </div>
      {isComputed && (
        <FigureConditions
          of={isFirst ? 'the value' : of.replace(' of ', '')}
          figure={measure}
          fields={fields}
          problems={problems}
          onChange={(conditions) => onChange({ ...measure, conditions })}
        >
          {divisor === null && (
            <Button
              variant="subtle"
              size="compact-xs"
              aria-label={`Divide by another value: ${isFirst ? 'the value' : of.replace(' of ', '')}`}
              onClick={() => onChange({ ...measure, divisor: newFigure() })}
            >
              Divide by another value
            </Button>
          )}
        </FigureConditions>
      )}
      {isComputed && divisor !== null && (
        <section className={css['divisor']} aria-label={ofDivisor.replace(' of the', 'The')}>
          <p className={css['head']}>Divided by</p>
          <div className={css['inputs']}>
            <FigureInputs
              of={ofDivisor}
              hasDistinct={false}
              figure={divisor}
              fields={fields}
              problems={problems}
              onChange={(next) => onChange({ ...measure, divisor: next })}
            />
          </div>
          <FigureConditions
            of={ofDivisor.replace(' of ', '')}
            figure={divisor}
            fields={fields}
            problems={problems}
            onChange={(conditions) => onChange({ ...measure, divisor: { ...divisor, conditions } })}
          >
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              leftSection={<IconTrash size={14} aria-hidden />}
              onClick={() => onChange({ ...measure, divisor: null })}
            >
              {`Remove ${ofDivisor.replace(' of ', '')}`}
            </Button>
          </FigureConditions>
        </section>
      )}
      {onRemove && (
        <ActionIcon
          className={css['remove'] ?? ''}
          aria-label={`Remove value${of.replace(' of value', '')}`}
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </fieldset>
  )
}
