import { writeColumnList } from '@portico/contract/column-list'
import type { FieldNameForm } from '@portico/contract/field-name-parts'
import type { Condition, ConditionOption } from '@portico/contract/policies'
import { ReadText } from '@portico/contract/read-text'
import type { RequestParts } from '#platform/http/context.ts'

/** A part of a request that names fields of contacts. */
export type FieldNamePart = { option: ConditionOption; path: string; form: FieldNameForm }

/** A request with one part only, which names one field. */
export function sampleOf(condition: Condition, { option, path, form }: FieldNamePart, name: string): RequestParts {
  const value = valueWith(form, name)
  const none = { params: {}, query: {}, body: {} }
  if (option === 'param') {
    const before = Array.from({ length: Number(path) }, (_, at) => [String(at), ''] as const)
    return { ...none, params: Object.fromEntries([...before, [path, value]]) }
  }
  if (option === 'query') return { ...none, query: { [path]: value } }
  const keys = path.split('.')
  // The key of the condition stands for any key.
  const named =
    keys.at(-1) === '*'
      ? [
          ...keys.slice(0, -1),
          condition.key
            .split('.')
            .slice(keys.length - 1)
            .join('.'),
        ]
      : keys
  const body = named.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return { ...none, body }
}

function valueWith(form: FieldNameForm, name: string): unknown {
  switch (form) {
    case 'name':
      return [name]
    case 'list':
      return ReadText.list([name], writeColumnList([name]))
    case 'keys':
    case 'headers':
      return { [name]: 'x' }
    case 'edits':
      return { [name]: { from: 'x', to: 'y' } }
    case 'stages':
      return ReadText.stages([
        { $match: { [name]: 'x' } },
        { $group: { _id: { [name]: `$${name}` } } },
        { $sort: { [name]: 1 } },
      ])
    case 'text':
      return `{"${name}":"{{${name}}}"} $${name}_1`
  }
}
