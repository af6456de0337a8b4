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
    return [{ field: [at, ...issue.keys].filter(Boolean).join('.'), message: 'This field is not known.' }]
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // Of several forms the one is meant that least is wrong with, among those of the kind of what was sent.
    const ofItsKind = issue.errors.filter((issues) => !issues.some(isOfAnotherKind))
    const forms = (ofItsKind.length > 0 ? ofItsKind : issue.errors).map((issues) =>
      issues.flatMap((each) => problemsOfIssue(each, path)),
    )
    return forms.toSorted((one, other) => one.length - other.length)[0] ?? []
  }
  const isMissing = issue.code === 'invalid_type' && /received undefined/.test(issue.message)
  return [{ field: at || 'body', message: isMissing ? 'Value is required!' : issue.message }]
}
