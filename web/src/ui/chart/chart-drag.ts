import type { ECharts } from 'echarts/core'
import { categoryAt, type ChartPick } from './chart-pick.ts'

/** Pixels that a mouse may move during a click. */
const clickSlack = 6

type Drag = {
  axis: 'x' | 'y'
  /** Marks the categories that releasing the mouse would choose. */
  band: HTMLElement
  onPick: (pick: ChartPick, isAdding: boolean) => void
}

/**
 * Follows a mouse that was pressed in a chart, and chooses the categories it passes until it is released. A finger
 * scrolls the page instead.
 */
export function followDrag(
  chart: ECharts,
  place: HTMLElement,
  start: PointerEvent,
  { axis, band, onPick }: Drag,
): void {
  if (start.button !== 0 || start.pointerType === 'touch') return
  const box = place.getBoundingClientRect()
  const pointOf = ({ clientX, clientY }: PointerEvent): [number, number] => [clientX - box.left, clientY - box.top]
  const first = pointOf(start)
  const from = categoryAt(chart, axis, first)
  if (from === null) return
  const along = axis === 'x' ? 0 : 1
  let to: number | null = null
  const isFar = (point: [number, number]): boolean => Math.abs(point[along] - first[along]) > clickSlack
  const move = (event: PointerEvent): void => {
    const point = pointOf(event)
    // Outside the chart, the last category within it counts.
    const at = categoryAt(chart, axis, axis === 'x' ? [point[0], first[1]] : [first[0], point[1]])
    if (!isFar(point) && to === null) return
    to = at ?? to ?? from
    show(band, axis, [first[along], point[along]], axis === 'x' ? box.width : box.height)
  }
  const end = (event: Event): void => {
    window.removeEventListener('pointermove', move)
    window.removeEventListener('pointerup', end)
    window.removeEventListener('pointercancel', end)
    window.removeEventListener('keydown', escape, true)
    band.hidden = true
    if (event.type === 'pointerup' && to !== null) {
      const isAdding = event instanceof PointerEvent && event.shiftKey
      onPick({ kind: 'categories', from: Math.min(from, to), to: Math.max(from, to) }, isAdding)
    }
  }
  const escape = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') end(event)
  }
  window.addEventListener('pointermove', move)
  window.addEventListener('pointerup', end)
  window.addEventListener('pointercancel', end)
  window.addEventListener('keydown', escape, true)
}

function show(band: HTMLElement, axis: 'x' | 'y', ends: [number, number], most: number): void {
  const [from, to] = [Math.max(0, Math.min(...ends)), Math.min(most, Math.max(...ends))]
  const [start, length] = [`${from}px`, `${to - from}px`]
  band.hidden = false
  Object.assign(
    band.style,
    axis === 'x'
      ? { left: start, width: length, top: '0', height: '100%' }
      : { top: start, height: length, left: '0', width: '100%' },
  )
}
