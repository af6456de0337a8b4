import type { RemoteAccess } from '@portico/contract/remote-access'

/** Why an access serves no calls at a moment. */
export type Obstacle = 'paused' | 'expired' | 'stopped' | 'building' | 'failed'

/** All reasons at once, because each must be removed before it serves calls again. */
export function obstaclesOf({ isPaused, expiresAt, stopped, index }: RemoteAccess, now = new Date()): Obstacle[] {
  const isExpired = expiresAt !== null && new Date(expiresAt) <= now
  return [
    ...(isPaused ? (['paused'] as const) : []),
    ...(isExpired ? (['expired'] as const) : []),
    ...(stopped === null ? [] : (['stopped'] as const)),
    ...(index.state === 'ready' ? [] : [index.state]),
  ]
}
