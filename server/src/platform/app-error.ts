import { errors, type ErrorCode, type FieldProblem } from '@portico/contract/errors'

/** An outcome that is shown to the user. Any other error is a bug and ends as status 500. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  /** Seconds after which a client may try again, if they differ from the default of the code. */
  readonly retryAfter: number | undefined

  /** `message` replaces the text of the code where a more precise one is possible; `cause` is only logged. */
  constructor(
    code: ErrorCode,
    details?: unknown,
    message?: string,
    { cause, retryAfter }: { cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message ?? errors[code].text, cause === undefined ? undefined : { cause })
    this.name = 'AppError'
    this.code = code
    this.details = details
    this.retryAfter = retryAfter
  }

  get status(): number {
    return errors[this.code].status
  }
}

/** Returns an `invalid_input` error that names one field and the fix. */
export function invalidField(field: string, message: string): AppError {
  const problem: FieldProblem = { field, message }
  return new AppError('invalid_input', [problem], `${field}: ${message}`)
}

/** Returns the error for a session that was valid when its request began. */
export const sessionEnded = (): AppError =>
  new AppError('not_signed_in', undefined, 'Your session has ended. Please sign in again.')
