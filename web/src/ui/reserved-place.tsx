import type { ReactNode } from 'react'

type ReservedPlaceProps = { isReserved: boolean; children: ReactNode }

/** Keeps the place of controls that are not usable yet, so that nothing moves when they are. */
export function ReservedPlace({ isReserved, children }: ReservedPlaceProps) {
  return <div style={{ display: 'contents', visibility: isReserved ? 'hidden' : undefined }}>{children}</div>
}
