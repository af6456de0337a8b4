import type { FieldProblem } from '@portico/contract/errors'
import type { z } from 'zod'

export type { FieldProblem }

/** What is wrong with which field, in words for the person who typed it. */
export function problemsOf(error: z.ZodError): FieldProblem[] {
  return error.issues.map((issue) => {
    const at = issue.path.map(String).join('.')
    if (issue.code === 'unrecognized_keys') {
      return { field: [at, ...issue.keys].filter(Boolean).join('.'), message: 'This field is not known.' }
    }
    const isMissing = issue.code === 'invalid_type' && /received undefined/.test(issue.message)
    return { field: at || 'body', message: isMissing ? 'Value is required!' : issue.message }
  })
}
