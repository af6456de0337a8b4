import type { Field, FieldType } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'

/** Operators as the specification writes them (3 §9). */
export const operators = ['=', '!=', '>', '>=', '<', '<=', 'contains', 'starts', 'ends', 'in'] as const
export type Operator = (typeof operators)[number]

/** One row of the builder. `field` is empty until one is chosen; a list of values is separated by commas. */
export type Condition = { key: string; field: string; operator: Operator; value: string }

export const maxConditions = 4

const comparisons: Operator[] = ['=', '!=', '>', '>=', '<', '<=']
const operatorsByType: Record<FieldType, readonly Operator[]> = {
  string: operators,
  number: [...comparisons, 'in'],
  date: comparisons,
  boolean: ['=', '!='],
}

/** A field that conditions can ask for. */
export type ConditionField = Pick<Field, 'name' | 'type'>

/** What the portal itself knows of a contact and can be asked for; an import is asked for by its id. */
const internalFields: ConditionField[] = [
  { name: 'purl', type: 'string' },
  { name: 'basePurl', type: 'string' },
  { name: 'purlNumber', type: 'number' },
  { name: 'Import', type: 'number' },
]

export const conditionFields = (fields: Field[]): ConditionField[] => [...fields, ...internalFields]

export const operatorsFor = (type: FieldType | undefined): readonly Operator[] => operatorsByType[type ?? 'string']

/** Another field chosen for a condition: its operator stays where the type allows, its value when the type is the same. */
export function withField(condition: Condition, field: ConditionField, before: ConditionField | undefined): Condition {
  const allowed = operatorsFor(field.type)
  return {
    ...condition,
    field: field.name,
    operator: allowed.includes(condition.operator) ? condition.operator : '=',
    value: before?.type === field.type ? condition.value : '',
  }
}

const valuesOf = (list: string): string[] => list.split(',').map((item) => item.trim())

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

/** What is wrong with a condition's value, in the words of specification 3 §5; null when nothing is. */
export function valueProblem({ operator, value }: Condition, type: FieldType): string | null {
  if (value.trim() === '') {
    // Text equal to nothing finds contacts without a value.
    const mayBeEmpty = type === 'string' && (operator === '=' || operator === '!=')
    return mayBeEmpty ? null : 'Value is required!'
  }
  const isValid = (text: string): boolean => {
    if (type === 'number') return isNumber(text)
    if (type === 'date') return isDay(text)
    return type === 'string' || text === 'true' || text === 'false'
  }
  const values = operator === 'in' ? valuesOf(value) : [value]
  return values.every((one) => one !== '' && isValid(one)) ? null : 'Value is invalid!'
}

/** yyyy-MM-dd, of a day that exists. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** The stages that find what all conditions hold for; none without conditions. They have to be valid. */
export function stagesOf(conditions: Condition[], fields: ConditionField[]): Stages {
  const parts = conditions.map((condition) => matchOf(condition, typeOf(condition, fields)))
  const [first] = parts
  if (!first) return []
  return [{ $match: parts.length === 1 ? first : { $and: parts } }]
}

export const typeOf = ({ field }: Pick<Condition, 'field'>, fields: ConditionField[]): FieldType =>
  fields.find(({ name }) => name === field)?.type ?? 'string'

const comparisonNames = { '!=': '$ne', '>': '$gt', '>=': '$gte', '<': '$lt', '<=': '$lte' } as const

function matchOf({ field, operator, value }: Condition, type: FieldType): Record<string, unknown> {
  const typed = (text: string): unknown => {
    if (type === 'number') return Number(text)
    return type === 'boolean' ? text === 'true' : text
  }
  const pattern = value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  switch (operator) {
    case '=':
      return { [field]: typed(value) }
    case 'contains':
      return { [field]: { $regex: pattern, $options: 'i' } }
    case 'starts':
      return { [field]: { $regex: `^${pattern}`, $options: 'i' } }
    case 'ends':
      return { [field]: { $regex: `${pattern}$`, $options: 'i' } }
    case 'in':
      return { [field]: { $in: valuesOf(value).map(typed) } }
    case '!=':
    case '>':
    case '>=':
    case '<':
    case '<=':
      return { [field]: { [comparisonNames[operator]]: typed(value) } }
  }
}

/** A condition in words, after its field. What is not complete yet is left open. */
export function describeCondition(condition: Condition, fields: ConditionField[]): string {
  const { operator, value } = condition
  if (!isComplete(condition, fields)) return `${operator} …`
  if (operator === 'in') return `in (${valuesOf(value).join(', ')})`
  return `${operator} ${value === '' ? '(no value)' : value}`
}

/** Whether a condition can be asked. */
export const isComplete = (condition: Condition, fields: ConditionField[]): boolean =>
  condition.field !== '' && valueProblem(condition, typeOf(condition, fields)) === null
