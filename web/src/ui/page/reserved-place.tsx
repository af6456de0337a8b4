import type { ReactNode } from 'react'

type ReservedPlaceProps = { isReserved: boolean; children: ReactNode }

/** Reserves the space of controls that are not usable yet, to avoid a layout shift. */
export function ReservedPlace({ isReserved, children }: ReservedPlaceProps) {
  return <div style={{ display: 'contents', visibility: isReserved ? 'hidden' : undefined }}>{children}</div>
}
