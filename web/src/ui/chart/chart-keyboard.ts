import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react'
import type { ChartPick } from './chart-pick.ts'
import type { Drawing } from './chart-drawing.ts'

/** A value that the keyboard can reach. `text` is what a screen reader says. */
export type ChartStop = { series: number; index: number; text: string; isMarked: boolean }

type Keys = {
  stops: readonly ChartStop[]
  onPick: ((pick: ChartPick, isAdding: boolean) => void) | undefined
  onReset: (() => void) | undefined
}

/** Steps to the next value of the same series, and to the same value of the next series. */
const steps: Record<string, { along: 'index' | 'series'; by: 1 | -1 }> = {
  ArrowRight: { along: 'index', by: 1 },
  ArrowLeft: { along: 'index', by: -1 },
  ArrowDown: { along: 'series', by: 1 },
  ArrowUp: { along: 'series', by: -1 },
}

/**
 * Arrow keys move between values, which are shown and read out; Enter chooses, Shift adds to the choice, and Escape
 * resets.
 */
export function useChartKeyboard(drawing: RefObject<Drawing | null>, { stops, onPick, onReset }: Keys) {
  const [at, setAt] = useState<number | null>(null)
  const stop = at === null ? undefined : stops[at]
  const go = (next: number): void => {
    if (!stops[next]) return
    setAt(next)
  }
  const leave = (): void => {
    setAt(null)
    point(drawing.current, null)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key]
    if (step) go(at === null ? (step.by > 0 ? 0 : stops.length - 1) : nextStop(stops, at, step))
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(stops.length - 1)
    else if ((event.key === 'Enter' || event.key === ' ') && stop && onPick) {
      onPick({ kind: 'value', series: stop.series, index: stop.index }, event.shiftKey)
    } else if (event.key === 'Escape' && onReset) onReset()
    else return
    event.preventDefault()
  }
  const text = stop ? `${stop.text}${stop.isMarked ? ', selected' : ''}` : ''
  // Shown again whenever the chart is redrawn.
  useEffect(() => {
    if (stop) point(drawing.current, stop)
  }, [drawing, stop])
  return { text, props: { tabIndex: 0, onKeyDown, onBlur: leave } }
}

/** The index of the stop that a key moves to; unchanged at either end. */
export function nextStop(
  stops: readonly ChartStop[],
  at: number,
  { along, by }: { along: 'index' | 'series'; by: 1 | -1 },
): number {
  const from = stops[at]
  if (!from) return at
  const other = along === 'index' ? 'series' : 'index'
  const ahead = stops
    .map((stop, place) => ({ stop, place, by: (stop[along] - from[along]) * by }))
    .filter(({ stop, by: distance }) => distance > 0 && stop[other] === from[other])
    .toSorted((one, two) => one.by - two.by)
  const found = ahead[0]?.place
  if (found !== undefined) return found
  // With one series, up and down move through it too.
  const hasOne = stops.every(({ series }) => series === from.series)
  return along === 'series' && hasOne ? Math.min(stops.length - 1, Math.max(0, at + by)) : at
}

function point(drawing: Drawing | null, stop: ChartStop | null): void {
  drawing?.chart.dispatchAction({ type: 'downplay' })
  if (!stop) {
    drawing?.chart.dispatchAction({ type: 'hideTip' })
    return
  }
  const target = { seriesIndex: stop.series, dataIndex: stop.index }
  drawing?.chart.dispatchAction({ type: 'highlight', ...target })
  drawing?.chart.dispatchAction({ type: 'showTip', ...target })
}
