import { parseCondition } from '@portico/contract/policies'
import { isSameName } from '@portico/domain/names'
import { unusedName } from '#platform/rows/field-uses.ts'
import { placeOf, renameInCondition } from './condition-renaming.ts'
import type { FieldNamePart } from './condition-samples.ts'

/**
 * Whether a condition judges values that requests compare with a field. They are written differently once the field has
 * another type: `"7"` and `7`. False for a condition that only names the field.
 */
export function judgesValuesOf(text: string, parts: readonly FieldNamePart[], field: string): boolean {
  const condition = parseCondition(text)
  const renamed = renameInCondition(text, parts, { from: field, to: unusedName })
  if (!condition || !renamed.namesField) return false
  if (parseCondition(renamed.text)?.key !== condition.key) return true
  const isOfStages = parts.some(
    (part) =>
      part.option === condition.option && ['stages', 'text'].includes(part.form) && placeOf(condition, part) !== null,
  )
  return isOfStages && !isSameName(condition.value, field)
}
