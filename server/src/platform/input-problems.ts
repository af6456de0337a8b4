import { checkInput, choiceInWords } from '@portico/contract/check-input'
import type { FieldProblem } from '@portico/contract/errors'
import type { z } from 'zod'

export type { FieldProblem }

/** Problems in one reply. Once these are fixed, the next reply has the others. */
export const mostProblems = 20

/** Parses input. Returns the value, or the problems of the first fields that have one, in words for users. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { data: z.output<Schema>; problems: null } | { data: null; problems: FieldProblem[] } {
  const parsed = checkInput(schema, value)
  if (parsed.success) return { data: parsed.data, problems: null }
  return { data: null, problems: problemsOf(parsed.error.issues, []) }
}

/** True, for example, for an object where a list is expected. */
const isOfAnotherKind = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_type' && path.length === 0

/** Collects no more than the problems of the reply. */
function problemsOf(issues: readonly z.core.$ZodIssue[], above: PropertyKey[]): FieldProblem[] {
  return issues
    .slice(0, mostProblems)
    .flatMap((issue) => problemsOfIssue(issue, above))
    .slice(0, mostProblems)
}

function problemsOfIssue(issue: z.core.$ZodIssue, above: PropertyKey[]): FieldProblem[] {
  const path = [...above, ...issue.path]
  const at = path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, mostProblems)
      .map((key) => ({ field: at ? `${at}.${key}` : key, message: issue.message }))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const allowed = choiceInWords(issue.errors)
    if (allowed !== null) return [{ field: at || 'body', message: allowed }]
    // Assumes that the form with the fewest problems was meant, of those that accept the type that was sent.
    const ofItsKind = issue.errors.filter((issues) => !issues.some(isOfAnotherKind))
    const forms = (ofItsKind.length > 0 ? ofItsKind : issue.errors).map((issues) => problemsOf(issues, path))
    return forms.toSorted((one, other) => one.length - other.length)[0] ?? []
  }
  return [{ field: at || 'body', message: issue.message }]
}
