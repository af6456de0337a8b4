import { errors, type ErrorCode, type FieldProblem } from '@portico/contract/errors'

/** An outcome that the user is shown. Any other error is a bug and ends as status 500. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  /** Seconds after which a client may try again, where they differ from those of the code. */
  readonly retryAfter: number | undefined

  /** `message` replaces the text of the code where a more precise one is possible; the log has the `cause`. */
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

/** `invalid_input` that names one field and the fix. */
export function invalidField(field: string, message: string): AppError {
  const problem: FieldProblem = { field, message }
  return new AppError('invalid_input', [problem], `${field}: ${message}`)
}

/** Of a session that was valid when its request began. */
export const sessionEnded = (): AppError =>
  new AppError('not_signed_in', undefined, 'Your session has ended. Please sign in again.')
