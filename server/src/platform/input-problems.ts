import type { FieldProblem } from '@portico/contract/errors'
import type { z } from 'zod'

export type { FieldProblem }

/** What is wrong with which field, in words for the person who typed it. */
export function problemsOf(error: z.ZodError): FieldProblem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, []))
}

/** An object where the form wants a list, say. */
const isOfAnotherKind = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_type' && path.length === 0

function problemsOfIssue(issue: z.core.$ZodIssue, above: PropertyKey[]): FieldProblem[] {
  const path = [...above, ...issue.path]
  const at = path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: at ? `${at}.${key}` : key, message: 'This field is not known.' }))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const allowed = plainForms(issue.errors)
    if (allowed) return [{ field: at || 'body', message: allowed }]
    // Of several forms the one is meant that least is wrong with, among those of the kind of what was sent.
    const ofItsKind = issue.errors.filter((issues) => !issues.some(isOfAnotherKind))
    const forms = (ofItsKind.length > 0 ? ofItsKind : issue.errors).map((issues) =>
      issues.flatMap((each) => problemsOfIssue(each, path)),
    )
    return forms.toSorted((one, other) => one.length - other.length)[0] ?? []
  }
  return [{ field: at || 'body', message: isMissing(issue) ? 'Value is required!' : issue.message }]
}

const isMissing = ({ code, message }: z.core.$ZodIssue): boolean =>
  code === 'invalid_type' && /received undefined/.test(message)

/** What one of several values or simple types would do; null where a form has parts of its own. */
function plainForms(forms: z.core.$ZodIssue[][]): string | null {
  const names = forms.map(([issue, ...others]) => {
    if (!issue || others.length > 0 || issue.path.length > 0) return null
    if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(', ')
    return issue.code === 'invalid_type' ? issue.expected : null
  })
  if (names.includes(null)) return null
  if (forms.flat().some(isMissing)) return 'Value is required!'
  return `Invalid input: expected one of ${[...new Set(names)].join(', ')}`
}
