/**
 * Returns the SQLSTATE with which a Citus worker refused rows of a COPY: a repeated value (23505) or a full disk
 * (53100). The coordinator keeps text and detail, but replaces the code. Null for any other error.
 */
export function copyErrorState(error: Error): string | null {
  if (!('routine' in error && error.routine === 'ReportCopyError')) return null
  const detail = 'detail' in error ? String(error.detail) : ''
  // `Key (c1, c2)=(Ada, Paris) already exists.`; the rest depends on the server's language.
  if (/\([^()]*\)=\(.*\)/s.test(detail)) return '23505'
  return error.message.includes('No space left on device') ? '53100' : null
}

/**
 * Returns whether a table could not be created because its account is being moved to another server. Creating it works
 * again once the move is over, which takes seconds to hours.
 */
export function isAccountMoving(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'AcquirePlacementColocationLock'
}
