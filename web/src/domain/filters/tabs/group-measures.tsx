import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { columnsOf, type GroupDraft, type MeasureDraft, needsField, newMeasure } from '../draft.ts'
import { type FilterField, type GroupOperator, groupOperators, isCalculable } from '../stages/filter.ts'
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
      measures: isAlone ? [next] : measures.with(index, next),
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

/** The fields that an operator can compute. */
const columnsFor = (operator: GroupOperator | null, fields: readonly FilterField[]): readonly FilterField[] =>
  operator === 'sum' || operator === 'avg' ? fields.filter(isCalculable) : fields

const labels: Partial<Record<GroupOperator, string>> = { size: 'different values' }

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
  const { key, operator, field, name } = measure
  const columns = columnsFor(operator, fields)
  return (
    <fieldset className={css['measure']}>
      <legend className={css['legend']}>{isFirst ? 'Value' : `Value${of.replace(' of value', '')}`}</legend>
      <Select
        label={`Operator${of}`}
        withAsterisk
        data={groupOperators
          .filter((one) => isFirst || one !== 'distinct')
          .map((value) => ({ value, label: labels[value] ?? value }))}
        allowDeselect={false}
        value={operator}
        error={problems[`${key}.operator`]}
        onChange={(chosen) => {
          // The options are the operators.
          const next = chosen as GroupOperator
          const keepsField = needsField(next) && columnsFor(next, fields).some((one) => one.name === field)
          onChange({ ...measure, operator: next, field: keepsField ? field : null })
        }}
      />
      {needsField(operator) && (
        <Select
          label={`Column${of}`}
          withAsterisk
          searchable
          limit={100}
          nothingFoundMessage="Nothing found"
          data={columns.map((one) => one.name)}
          value={field}
          error={problems[`${key}.field`]}
          onChange={(chosen) => onChange({ ...measure, field: chosen })}
        />
      )}
      {operator !== null && operator !== 'distinct' && (
        <TextInput
          label={isFirst ? 'Name of the value' : `Name${of}`}
          placeholder={usual}
          maxLength={200}
          value={name}
          error={problems[`${key}.name`]}
          onChange={(event) => onChange({ ...measure, name: event.currentTarget.value })}
        />
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
