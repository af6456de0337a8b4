import { Select } from '@mantine/core'
import { type FigureDraft, needsField } from '../draft.ts'
import { type FilterField, type GroupOperator, groupOperators, isCalculable } from '../stages/filter.ts'

/** The fields that an operator can compute. */
const columnsFor = (operator: GroupOperator | null, fields: readonly FilterField[]): readonly FilterField[] =>
  operator === 'sum' || operator === 'avg' ? fields.filter(isCalculable) : fields

const labels: Partial<Record<GroupOperator, string>> = { size: 'different values' }

type FigureInputsProps = {
  /** Tells the inputs of several figures apart. */
  of: string
  hasDistinct: boolean
  figure: FigureDraft
  fields: readonly FilterField[]
  problems: Record<string, string>
  onChange: (figure: FigureDraft) => void
}

/** The operator of a figure, and its column. */
export function FigureInputs({ of, hasDistinct, figure, fields, problems, onChange }: FigureInputsProps) {
  const { key, operator, field, conditions } = figure
  return (
    <>
      <Select
        label={`Operator${of}`}
        withAsterisk
        data={groupOperators
          .filter((one) => hasDistinct || one !== 'distinct')
          .map((value) => ({ value, label: labels[value] ?? value }))}
        allowDeselect={false}
        value={operator}
        error={problems[`${key}.operator`]}
        onChange={(chosen) => {
          // The options are the operators.
          const next = chosen as GroupOperator
          const keepsField = needsField(next) && columnsFor(next, fields).some((one) => one.name === field)
          onChange({ key, conditions, operator: next, field: keepsField ? field : null })
        }}
      />
      {needsField(operator) && (
        <Select
          label={`Column${of}`}
          withAsterisk
          searchable
          limit={100}
          nothingFoundMessage="Nothing found"
          data={columnsFor(operator, fields).map((one) => one.name)}
          value={field}
          error={problems[`${key}.field`]}
          onChange={(chosen) => onChange({ key, conditions, operator, field: chosen })}
        />
      )}
    </>
  )
}
