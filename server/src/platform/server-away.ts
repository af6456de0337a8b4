/**
 * Returns whether a statement failed because it needs a server that cannot be reached: a worker of a Citus cluster. The
 * coordinator reports such a connection as an error of the statement, and stays connected itself; what it says about its
 * own end is fatal (`isConnectionLost`). The message names host, port and role: for the log, never for a reply.
 * @param error also as the job queue stores it, as JSON
 */
export function isServerAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  return severity === 'ERROR' && typeof code === 'string' && awayStates.test(code)
}

// Connections that failed, except for protocol violations (08P01); a server that stops, has crashed or starts.
const awayStates = /^(08(000|001|003|004|006)|57P0[123])$/

/**
 * Returns whether a statement failed because Citus is moving the account to another worker, during which no table of it can
 * be created or dropped. Has no code of its own.
 */
export function isAccountMoving(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('could not acquire the lock required to ')
}
