import type { ReactNode } from 'react'

/** Hides its content but keeps it mounted, with all typed input. Adds no box around visible content. */
export function Shown({ when, children }: { when: boolean; children: ReactNode }) {
  return <div style={{ display: when ? 'contents' : 'none' }}>{children}</div>
}
