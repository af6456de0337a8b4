import { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { z } from 'zod'
import type { JsonSuggestions } from '#ui/form/json-suggestions.ts'
import type { ChosenKind } from '../cell-kinds.ts'
import { type OptionField, optionTabs } from './option-fields.ts'

type Schema = z.core.JSONSchema.BaseSchema

let known: Schema | undefined

/** The schema of options as JSON Schema, created when the first suggestion is made. */
function optionsSchema(): Schema {
  known ??= z.toJSONSchema(ChartOptions, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  return known
}

const formsOf = (schema: Schema): Schema[] => (schema.anyOf ? schema.anyOf.flatMap((form) => formsOf(form)) : [schema])

/** The schemas of the value at a path: several if it has several forms. */
function schemasAt(path: readonly string[], from: Schema[] = [optionsSchema()]): Schema[] {
  const [name, ...rest] = path
  const forms = from.flatMap(formsOf)
  if (name === undefined) return forms
  const next = forms.flatMap(({ properties, additionalProperties, items, propertyNames }): Schema[] => {
    const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined
    const isEntry = propertyNames !== undefined && typeof additionalProperties === 'object'
    const schema = own ?? (isEntry ? additionalProperties : items)
    return typeof schema === 'object' && !Array.isArray(schema) ? [schema] : []
  })
  return schemasAt(rest, next)
}

/** The JSON that a value of a schema begins with. */
function startOf(schemas: readonly Schema[]): string {
  const types = schemas.flatMap(formsOf).map(({ type }) => type)
  if (types.includes('object')) return '{}'
  if (types.includes('array')) return '[]'
  return types.every((type) => type === 'string') ? '""' : ''
}

/**
 * Names and values of options, from the contract's schema. Those with a field in the chart's tabs have its label as
 * description.
 */
export function optionSuggestions(kind: ChosenKind): JsonSuggestions {
  const labels = new Map<string, string>()
  const add = (within: string, { path, label, control }: OptionField): void => {
    const full = [...(within === '' ? [] : [within]), ...path].join('.')
    labels.set(full, label)
    if (control.kind === 'numbered') for (const own of control.fields) add(`${full}.#`, own)
  }
  for (const { fields } of optionTabs(kind)) for (const each of fields) add('', each)
  return {
    names: (path) => {
      const place = path.map((name) => (/^\d+$/.test(name) ? '#' : name))
      const names = schemasAt(path).flatMap(({ properties }) => Object.entries(properties ?? {}))
      return names.map(([name, schema]) => {
        const info = labels.get([...place, name].join('.'))
        const start = typeof schema === 'object' ? startOf([schema]) : ''
        return { name, value: start, ...(info !== undefined && { info }) }
      })
    },
    values: (path) => {
      const values = schemasAt(path).flatMap((schema): unknown[] => {
        if (schema.type === 'boolean') return [true, false]
        return schema.enum ?? (schema.const === undefined ? [] : [schema.const])
      })
      return [...new Set(values.map((value) => JSON.stringify(value)))]
    },
  }
}
