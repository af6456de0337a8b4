import { type FunctionComponent, memo } from 'react'
import type { CronValues } from './cron-values.ts'

export type FieldsProps = {
  values: CronValues
  /** Must stay the same function. */
  onChange: (part: Partial<CronValues>) => void
  /** The message of each field with a problem. Stays the same map while the problems are the same. */
  problems: ReadonlyMap<string, string>
}

/**
 * A part of the dialog that renders again only when one of its own fields or the problems change: selects with hundreds
 * of options would slow down typing in others.
 */
export const partOf = <Props extends FieldsProps>(
  fields: readonly (keyof CronValues)[],
  part: FunctionComponent<Props>,
) =>
  memo(part, ({ values, ...before }, { values: newValues, ...after }) => {
    const others = Object.entries(after) as [keyof typeof after, unknown][]
    return (
      others.every(([name, value]) => Object.is(before[name], value)) &&
      fields.every((field) => Object.is(values[field], newValues[field]))
    )
  })
