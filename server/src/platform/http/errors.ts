import type { ErrorCode, ErrorReply } from '@portico/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import {
  isCancelled,
  isDatabaseAway,
  isDatabaseClosed,
  isDeadlock,
  isDiskFull,
  isLockTimeout,
  isUnstorableText,
} from '#platform/database.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { lockBusy } from '#platform/waits/locks.ts'

/**
 * Seconds after which a client should try again: an embedded database that has crashed is back soon, and so are
 * processors that are busy with a burst of sign-ins.
 */
const retryAfter: Partial<Record<ErrorCode, number>> = { unavailable: 5, server_away: 60, too_many_requests: 5 }

/** Sends every error in the contract's form. Logs those that are not an `AppError`. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error)
  if (known.code === 'unexpected') request.log.error({ err: error }, 'unexpected error')
  const seconds = known.retryAfter ?? retryAfter[known.code]
  if (seconds !== undefined) void reply.header('retry-after', seconds)
  if (known.code === 'unavailable' || known.code === 'server_away') {
    const cause = known === error ? known.cause : error
    const what = isDiskFull(cause)
      ? 'the disk is full'
      : isDeadlock(cause)
        ? 'two transactions waited for each other'
        : isLockTimeout(cause) || isCancelled(cause)
          ? 'the database took too long'
          : 'the database could not be reached'
    if (cause && !isDatabaseClosed(cause)) request.log.warn({ err: cause }, what)
  }
  const body: ErrorReply = {
    error: { code: known.code, message: known.message, ...(known.details !== undefined && { details: known.details }) },
  }
  void reply.code(known.status).send(body)
}

const diskFull = 'There is not enough disk space. Try again once there is.'
const wantedType = 'Send JSON, as application/json.'

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isUnstorableText(error)) {
    const message = 'Text must not contain the NUL character.'
    return new AppError('invalid_input', [{ field: 'body', message }], message)
  }
  if (isServerAway(error)) return new AppError('server_away')
  if (isDiskFull(error)) return new AppError('unavailable', undefined, diskFull)
  if (isDatabaseAway(error) || isDatabaseClosed(error)) return new AppError('unavailable')
  // Requests must not wait forever.
  if (isLockTimeout(error) || isDeadlock(error)) return lockBusy(error)
  if (isCancelled(error)) return new AppError('unavailable', undefined, undefined, { cause: error })
  // The client has disconnected, and its query was cancelled.
  if (error instanceof Error && error.name === 'AbortError') return new AppError('timed_out')
  // Errors of Fastify: a body that is not JSON, is too large, has no content type …
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500
  const text = error instanceof Error ? error.message : ''
  if (status === 413) return new AppError('too_large')
  if (status === 415) return new AppError('invalid_input', [{ field: 'Content-Type', message: wantedType }], wantedType)
  if (status === 429) return new AppError('too_many_requests')
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('invalid_input', [{ field: 'body', message: text }], text)
  }
  return new AppError('unexpected')
}
