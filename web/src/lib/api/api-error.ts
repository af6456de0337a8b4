import type { ErrorCode, FieldProblem } from '@portico/contract/errors'

/** The API refused the request, or could not be reached (`unavailable`). Match on `code`; show `message`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** For `invalid_input` a list of `FieldProblem`; otherwise the details that the error's route documents. */
  readonly details: unknown

  constructor(code: ErrorCode, message: string, details?: unknown) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }

  /** Problems by field of the body; empty unless the code is `invalid_input`. */
  get fieldProblems(): FieldProblem[] {
    const { details } = this
    // The server writes the details of this code as field problems only.
    return this.code === 'invalid_input' && Array.isArray(details) ? (details as FieldProblem[]) : []
  }
}

export const isApiError = (error: unknown, ...codes: ErrorCode[]): error is ApiError =>
  error instanceof ApiError && (codes.length === 0 || codes.includes(error.code))

/** The text to show for any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message ? error.message : 'Something went wrong!'
}
