import type { ReactNode } from 'react'
import css from './hint.module.css'

type HintProps = {
  label: string
  side?: 'below' | 'right'
  /** True while the element it names is open, or has its name next to it. */
  isOff?: boolean
  className?: string | undefined
  children: ReactNode
}

/**
 * Shows the name of an icon on hover and keyboard focus. CSS only: Mantine's Tooltip would add its positioning code to
 * the first load.
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
