import { ActionIcon, Button, Group, Select, Text, TextInput } from '@mantine/core'
import { useId } from 'react'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import css from './condition-rows.module.css'
import { type Condition, type ConditionField, maxConditions, operatorsFor, typeOf, withField } from './conditions.ts'
import type { NewExportForm } from './new-export-dialog.tsx'

type ConditionRowsProps = { form: NewExportForm; fields: ConditionField[] }

/** Narrows the contacts by up to four conditions, which all have to hold. */
export function ConditionRows({ form, fields }: ConditionRowsProps) {
  const titleId = useId()
  const { conditions } = form.values
  const add = (): void =>
    form.insertListItem('conditions', { key: crypto.randomUUID(), field: '', operator: '=', value: '' } as Condition)
  return (
    <section aria-labelledby={titleId}>
      <Group justify="space-between" mb={6}>
        <div>
          <Text id={titleId} size="sm" fw={550}>
            Filter
          </Text>
          <Text size="xs" c="dimmed">
            {`All conditions have to hold; ${maxConditions} at most.`}
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={add}
          disabled={conditions.length >= maxConditions}
        >
          Add condition
        </Button>
      </Group>
      {conditions.map((condition, index) => (
        <ConditionRow key={condition.key} form={form} fields={fields} condition={condition} index={index} />
      ))}
    </section>
  )
}

type ConditionRowProps = ConditionRowsProps & { condition: Condition; index: number }

function ConditionRow({ form, fields, condition, index }: ConditionRowProps) {
  const path = `conditions.${index}` as const
  const field = fields.find(({ name }) => name === condition.field)
  const which = `of condition ${index + 1}`
  const change = (next: Condition): void => {
    form.setFieldValue(path, next)
    // What was wrong with the row before is not wrong with this one; its value is checked when it is typed.
    form.clearFieldError(`${path}.field`)
    form.clearFieldError(`${path}.value`)
  }
  return (
    <fieldset className={css['row']}>
      <legend className={css['legend']}>{`Condition ${index + 1}`}</legend>
      <Select
        aria-label={`Field ${which}`}
        placeholder="Field"
        searchable
        limit={100}
        nothingFoundMessage="Nothing found"
        data={fields.map(({ name }) => name)}
        value={condition.field || null}
        error={form.errors[`${path}.field`]}
        onChange={(name) => {
          const next = fields.find((one) => one.name === name)
          if (next) change(withField(condition, next, field))
        }}
      />
      <Select
        aria-label={`Operator ${which}`}
        data={[...operatorsFor(field?.type)]}
        allowDeselect={false}
        value={condition.operator}
        // The options are the operators.
        onChange={(operator) => change({ ...condition, operator: operator as Condition['operator'] })}
      />
      <div className={css['value']}>
        <ValueInput form={form} condition={condition} type={typeOf(condition, fields)} index={index} />
      </div>
      <ActionIcon
        aria-label={`Remove condition ${index + 1}`}
        mt={1}
        onClick={() => form.removeListItem('conditions', index)}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </fieldset>
  )
}

type ValueInputProps = Pick<ConditionRowProps, 'form' | 'condition' | 'index'> & { type: ConditionField['type'] }

/** An input for values of the field's type. */
function ValueInput({ form, condition, type, index }: ValueInputProps) {
  const label = `Value of condition ${index + 1}`
  const props = form.getInputProps(`conditions.${index}.value`)
  if (type === 'boolean') {
    const options = [
      { value: 'true', label: 'True' },
      { value: 'false', label: 'False' },
    ]
    return <Select aria-label={label} placeholder="Value" data={options} {...props} value={condition.value || null} />
  }
  const isList = condition.operator === 'in'
  return (
    <TextInput
      aria-label={label}
      placeholder={isList ? 'Values, separated by commas' : 'Value'}
      {...(type === 'date' && { type: 'date' })}
      {...(type === 'number' && !isList && { inputMode: 'decimal' })}
      {...props}
    />
  )
}
