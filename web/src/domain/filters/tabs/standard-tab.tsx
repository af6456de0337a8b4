import { Button, Group, Text } from '@mantine/core'
import IconPlus from '#icons/IconPlus'
import { ConditionRow } from '../conditions/condition-row.tsx'
import { conditionProblems, type Draft, isUnindexed, type Keyed, newCondition } from '../draft.ts'
import { type Condition, type FilterField, operatorsFor } from '../stages/filter.ts'
import { IndexOffer } from '../conditions/index-offer.tsx'
import { QuietIndex } from '../conditions/quiet-index.tsx'
import { MatchingCount } from '../matching-count.tsx'
import { useRowFocus } from '../conditions/row-focus.ts'
import { rowStages } from '../stages/stages-of.ts'
import type { TabProps } from '../props.ts'

type StandardTabProps = TabProps & {
  fields: readonly FilterField[]
  maxConditions: number
  /** Only contacts are counted and have indexes. */
  isOfContacts: boolean
  /** The account's rule; null until known. */
  onlyIndexedFields: boolean | null
  /** Whether the results match the conditions. */
  isApplied: boolean
}

/** Conditions on fields, all of which must hold. */
export function StandardTab(props: StandardTabProps) {
  const { draft, onChange, problems, fields, maxConditions, isOfContacts, onlyIndexedFields, isApplied, confirm } =
    props
  const rows = draft.standard
  const { newest, setAddButton, onAdded, onRemoved } = useRowFocus()
  const change = (standard: Draft['standard']): void => onChange({ ...draft, standard })

  function add(): void {
    const row = newCondition()
    onAdded(row.key)
    change([...rows, row])
  }

  function remove(row: Keyed<Condition>): void {
    confirm('Are you sure?', () => {
      change(rows.filter(({ key }) => key !== row.key))
      onRemoved()
    })
  }

  return (
    <>
      {rows.map((row, index) => (
        <ConditionRow
          key={row.key}
          name={`condition ${index + 1}`}
          condition={row}
          fields={fields}
          operators={operatorsFor}
          problems={problems}
          isNew={row.key === newest}
          onChange={(next) => change(rows.map((other) => (other.key === row.key ? next : other)))}
          onRemove={() => remove(row)}
          foot={isOfContacts && <RowFoot {...{ row, rows, fields, onlyIndexedFields, isApplied }} />}
        />
      ))}
      <Group gap="sm">
        <Button
          ref={setAddButton}
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={add}
          disabled={rows.length >= maxConditions}
        >
          Add condition
        </Button>
        <Text size="xs" c="dimmed" flex={1}>
          {rows.length >= maxConditions
            ? `These are the ${maxConditions} conditions that a filter may have.`
            : `All conditions have to hold; ${maxConditions} at most.`}
        </Text>
      </Group>
    </>
  )
}

type RowFootProps = Pick<StandardTabProps, 'fields' | 'onlyIndexedFields' | 'isApplied'> & {
  row: Keyed<Condition>
  rows: readonly Keyed<Condition>[]
}

const isComplete = (row: Keyed<Condition>): boolean => Object.keys(conditionProblems(row)).length === 0

/** Number of contacts that the row alone finds, and its field's missing index, which the first row of a field asks for. */
function RowFoot({ row, rows, fields, onlyIndexedFields, isApplied }: RowFootProps) {
  const hasNoIndex = isUnindexed(row, fields)
  if (hasNoIndex && onlyIndexedFields) return <IndexOffer field={row.field} isRequired />
  if (!isComplete(row)) return null
  const ofField = rows.filter((other) => other.field === row.field && isComplete(other))
  const asks = hasNoIndex && onlyIndexedFields === false && ofField[0]?.key === row.key
  // An empty text is a valid value: before anything is typed, only Apply shows that it is intended.
  const isUsed = isApplied || ofField.some(({ value }) => value.trim() !== '')
  return (
    <>
      <MatchingCount isQuiet stages={rowStages(row)} />
      {asks && <QuietIndex field={row.field} isUsed={isUsed} />}
    </>
  )
}
