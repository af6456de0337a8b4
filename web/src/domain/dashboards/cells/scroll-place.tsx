import type { ReactNode } from 'react'
import css from './cell-content.module.css'

/** A table's scrolling container, which the keyboard can reach. `label`: the name of the table. */
export function ScrollPlace({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- without a tab stop no key scrolls it (axe: scrollable-region-focusable)
    <section className={css['scroll']} tabIndex={0} aria-label={`Rows of ${label}`}>
      {children}
    </section>
  )
}
