/** An error of the database, or its JSON as the job queue stores it. */
type Failure = { severity?: unknown; code?: unknown; message?: unknown }

/**
 * Returns whether a statement failed because it needs a server that cannot be reached: a worker of a Citus cluster. The
 * coordinator reports such a connection as an error of the statement, and stays connected itself; what it says about its
 * own end is fatal (`isConnectionLost`). The message names host, port and role: for the log, never for a reply.
 */
export function isServerAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { severity, code, message } = error as Failure
  if (severity !== 'ERROR' || typeof code !== 'string') return false
  return awayStates.test(code) || (generalStates.includes(code) && generalFailures.test(String(message)))
}

// Connections that failed, except for protocol violations (08P01); a server that stops, has crashed or starts.
const awayStates = /^(08(000|001|003|004|006)|57P0[123])$/

// In the middle of a COPY and on a connection from before a restart, the coordinator gives other codes, which other failures
// have as well.
const generalStates = ['58030', 'XX000']
const generalFailures =
  /^(failed to complete COPY on |failed to COPY to shard |terminating connection |failure on connection marked as essential)/
