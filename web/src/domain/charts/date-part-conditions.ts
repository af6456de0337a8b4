import {
  type DatePart,
  dateParts,
  isObject,
  type Pipeline,
  type Stage,
  type Term,
} from '@portico/domain/pipeline/pipeline'
import { flatten, matching } from '@portico/domain/pipeline/terms'
import { keyText } from './key-text.ts'

const partWords: Partial<Record<DatePart, string>> = { dayOfMonth: 'day of month', dayOfWeek: 'day of week' }

/** The part of a date that a term asks for, in words: 'Joined (month) is May'; null for any other term. */
function describeDatePart(term: Term): string | null {
  const [test, ...others] = term.kind === 'field' && isObject(term.test) ? Object.entries(term.test) : []
  const part = dateParts.find((known) => test?.[0] === `$${known}`)
  if (term.kind !== 'field' || !test || !part || others.length > 0) return null
  const name = `${term.field} (${partWords[part] ?? part})`
  return `${name} is ${keyText(test[1], { name, field: term.field, part, type: 'date' })}`
}

/** Stages with tests of parts of dates ('any May'), as stages without them and those tests in words; null without any. */
export function takeDateParts(pipeline: Pipeline): { base: Pipeline; parts: string[] } | null {
  const found: string[] = []
  const base = pipeline.flatMap((stage): Stage[] => {
    if (stage.kind !== 'match') return [stage]
    const terms = flatten(stage.condition)
    const left = terms.filter((term) => {
      const text = describeDatePart(term)
      if (text !== null) found.push(text)
      return text === null
    })
    return left.length === terms.length ? [stage] : matching(left)
  })
  return found.length > 0 ? { base, parts: found } : null
}
