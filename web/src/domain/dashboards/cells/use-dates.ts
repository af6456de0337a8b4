import type { CellAnswer } from '@portico/contract/dashboards'
import { useEffect } from 'react'

/** Reports the days that a shown answer is narrowed to, once and after each change. */
export function useDates(answer: CellAnswer | undefined, onDates?: (dates: CellAnswer['dates']) => void): void {
  const dates = answer?.dates
  useEffect(() => onDates?.(dates), [dates, onDates])
}
