import type { ErrorReply, FieldProblem } from '@portico/contract/errors'
import { expect } from 'vitest'
import type { Answer } from './portal.ts'

/** Returns the field problems for which the portal refused the input. Fails for any other response. */
export function fieldProblems(reply: Answer): FieldProblem[] {
  expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
  return reply.json<ErrorReply>().error.details as FieldProblem[]
}

/** Returns the first of them. */
export const firstProblem = (reply: Answer): FieldProblem | undefined => fieldProblems(reply)[0]
