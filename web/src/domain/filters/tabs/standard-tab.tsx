import { Button, Group, Text } from '@mantine/core'
import IconPlus from '#icons/IconPlus'
import { ConditionRow } from '../conditions/condition-row.tsx'
import { conditionProblems, type Draft, type Keyed, newCondition } from '../draft.ts'
import { type Condition, type FilterField, operatorsFor } from '../stages/filter.ts'
import { IndexOffer } from '../conditions/index-offer.tsx'
import { MatchingCount } from '../matching-count.tsx'
import { useRowFocus } from '../conditions/row-focus.ts'
import { matchOf } from '../stages/stages-of.ts'
import type { TabProps } from '../props.ts'

type StandardTabProps = TabProps & {
  fields: readonly FilterField[]
  maxConditions: number
  /** Only they are counted, and have indexes. */
  isOfContacts: boolean
}

/** Conditions on fields, which all have to hold. */
export function StandardTab(props: StandardTabProps) {
  const { draft, onChange, problems, fields, maxConditions, isOfContacts, confirm } = props
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
          foot={isOfContacts && <RowFoot row={row} fields={fields} />}
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

/** Below a row: the offer of an index that is missing, or how many contacts the row alone finds. */
function RowFoot({ row, fields }: { row: Keyed<Condition>; fields: readonly FilterField[] }) {
  const field = fields.find(({ name }) => name === row.field)
  if (field && !field.isIndexed) return <IndexOffer field={field.name} />
  const isComplete = Object.keys(conditionProblems(row)).length === 0
  return <MatchingCount isQuiet stages={isComplete ? [{ $match: matchOf(row) }] : null} />
}
