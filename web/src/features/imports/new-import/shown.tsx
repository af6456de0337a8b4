import type { ReactNode } from 'react'

/** Keeps what is not shown with all that was typed there. Adds no box of its own around what is shown. */
export function Shown({ when, children }: { when: boolean; children: ReactNode }) {
  return <div style={{ display: when ? 'contents' : 'none' }}>{children}</div>
}
