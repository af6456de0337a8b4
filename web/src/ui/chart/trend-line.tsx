import { VisuallyHidden } from '@mantine/core'
import css from './trend-line.module.css'

type TrendLineProps = {
  /** Oldest first; null where there is none. */
  values: readonly (number | null)[]
  /** Describes the line, for screen readers. */
  label: string
  /** In pixels; it fills the width where none is given. */
  width?: number
  height: number
}

// Units of the drawing, which is stretched.
const [drawnWidth, drawnHeight] = [300, 100]

/** A small line without axes, drawn without the chart engine. Values that are missing leave a gap. */
export function TrendLine({ values, label, width, height }: TrendLineProps) {
  return (
    <div className={css['place']} style={{ width: width ?? '100%', height }}>
      <VisuallyHidden>{label}</VisuallyHidden>
      <svg
        className={css['line']}
        viewBox={`0 0 ${drawnWidth} ${drawnHeight}`}
        preserveAspectRatio="none"
        aria-hidden
        focusable="false"
      >
        {linesOf(values).map((points) => (
          <polyline key={points} points={points} vectorEffect="non-scaling-stroke" />
        ))}
      </svg>
    </div>
  )
}

/** The points of each run of values; a single one is a short dash. */
function linesOf(values: readonly (number | null)[]): string[] {
  const known = values.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const yOf = (value: number): number =>
    high === low ? drawnHeight / 2 : drawnHeight - 4 - ((value - low) / (high - low)) * (drawnHeight - 8)
  const xOf = (at: number): number => (values.length < 2 ? drawnWidth / 2 : (at / (values.length - 1)) * drawnWidth)
  const runs: string[][] = [[]]
  for (const [at, value] of values.entries()) {
    if (value === null) runs.push([])
    else runs.at(-1)?.push(`${xOf(at).toFixed(1)},${yOf(value).toFixed(1)}`)
  }
  return runs.flatMap((run) => (run.length === 0 ? [] : [run.length === 1 ? dash(run[0] ?? '') : run.join(' ')]))
}

const dashLength = 6

function dash(point: string): string {
  const [x = 0, y = 0] = point.split(',').map(Number)
  return `${Math.max(0, x - dashLength)},${y} ${Math.min(drawnWidth, x + dashLength)},${y}`
}
