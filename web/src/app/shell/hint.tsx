import type { ReactNode } from 'react'
import css from './hint.module.css'

type HintProps = {
  label: string
  side?: 'below' | 'right'
  /** While what it names is open, or named beside it. */
  isOff?: boolean
  className?: string | undefined
  children: ReactNode
}

/**
 * Shows the name of an icon while it is pointed at or has the focus of the keyboard. Styles alone: Mantine's Tooltip would
 * bring its calculations of places into the first load.
 */
export function Hint({ label, side = 'below', isOff = false, className, children }: HintProps) {
  return (
    <span className={[css['anchor'], className].join(' ')} data-side={side}>
      {children}
      {!isOff && (
        <span role="tooltip" className={css['hint']}>
          {label}
        </span>
      )}
    </span>
  )
}
