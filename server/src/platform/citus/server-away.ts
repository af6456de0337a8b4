/** An error of the database, or its JSON as the job queue stores it. */
type Failure = { severity?: unknown; code?: unknown; message?: unknown }

/**
 * Returns whether a statement failed because it needs a server that cannot be reached: a worker of a Citus cluster. The
 * coordinator reports such a connection as an error of the statement, and stays connected itself; its own end is a
 * fatal error (`isConnectionLost`). The message names host, port and role: log it, but never send it in a reply.
 */
export function isServerAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { severity, code, message } = error as Failure
  if (severity !== 'ERROR' || typeof code !== 'string') return false
  return awayStates.test(code) || (generalStates.includes(code) && generalFailures.test(String(message)))
}

// Failed connections, except for protocol violations (08P01); a server that is stopping, has crashed or is starting.
const awayStates = /^(08(000|001|003|004|006)|57P0[123])$/

// During a COPY, and on a connection from before a restart, the coordinator uses codes that other failures share.
const generalStates = ['58030', 'XX000']
const generalFailures =
  /^(failed to complete COPY on |failed to COPY to shard |terminating connection |failure on connection marked as essential)/
