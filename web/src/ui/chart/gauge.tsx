import { type Ref, useImperativeHandle, useRef } from 'react'
import css from './chart.module.css'
import type { ChartHandle } from './chart.tsx'
import { writeSvg } from './write-svg.ts'

type GaugeProps = {
  /** Name of the measured value. */
  label: string
  value: number
  /** The end of the scale, above 0. */
  max: number
  /** Colors of bands of equal width, from 0 to the maximum. */
  colors?: readonly string[] | undefined
  /** How the value is written. */
  text: string
  /** How the numbers along the scale are written. */
  format?: (value: number) => string
  /** In pixels. */
  height?: number
  ref?: Ref<ChartHandle> | undefined
}

/** Colors of three bands, from 0 to the maximum. */
export const usualColors = ['#c92a2a', '#f08c00', '#2b8a3e']

/** Number of labels along the scale, besides 0. */
const steps = 5

/** Degrees of the scale, which begins at the lower left and ends at the lower right. */
const sweep = 240
const radius = 84
const band = 13
const center = { x: 110, y: 104 }

/** A point of the scale, from 0 to 1, at a distance from the center. */
function at(share: number, distance: number): [number, number] {
  const angle = ((-90 - sweep / 2 + sweep * share) * Math.PI) / 180
  return [round(center.x + distance * Math.cos(angle)), round(center.y + distance * Math.sin(angle))]
}

const round = (value: number): number => Math.round(value * 100) / 100

function arc(from: number, to: number): string {
  const isLong = (to - from) * sweep > 180 ? 1 : 0
  return `M ${at(from, radius).join(' ')} A ${radius} ${radius} 0 ${isLong} 1 ${at(to, radius).join(' ')}`
}

/** A value on a scale of colored bands. A value over the maximum fills the scale and shows its actual number. */
export function Gauge({ label, value, max, colors, text, format = String, height = 190, ref }: GaugeProps) {
  const drawing = useRef<SVGSVGElement>(null)
  useImperativeHandle(
    ref,
    () => ({
      toSvg: () =>
        drawing.current ? writeSvg(drawing.current) : Promise.reject(new Error('The gauge is not in the page.')),
    }),
    [],
  )
  const bands = colors?.length ? colors : usualColors
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0
  return (
    <figure className={css['figure']} aria-label={`${label}: ${text} on a scale to ${format(max)}`}>
      <svg ref={drawing} className={css['gauge']} style={{ height }} viewBox="0 0 220 180" aria-hidden>
        {bands.map((color, place) => (
          // Bands may have the same color.
          <path
            key={place}
            d={arc(place / bands.length, (place + 1) / bands.length)}
            {...{ stroke: color, ...bandStyle }}
          />
        ))}
        {Array.from({ length: steps + 1 }, (_, place) => {
          const [x, y] = at(place / steps, radius - band - 8)
          return (
            <text key={place} x={x} y={y} className={css['scale']} textAnchor="middle" dominantBaseline="middle">
              {format((max * place) / steps)}
            </text>
          )
        })}
        <path d={needle(share)} className={css['needle']} />
        <circle cx={center.x} cy={center.y} r="5" className={css['needle']} />
        <text x={center.x} y="158" className={css['reading']} textAnchor="middle">
          {text}
        </text>
      </svg>
    </figure>
  )
}

const bandStyle = { strokeWidth: band, fill: 'none' }

function needle(share: number): string {
  const tip = at(share, radius - band - 20)
  const angle = ((-90 - sweep / 2 + sweep * share) * Math.PI) / 180
  const [dx, dy] = [3.4 * Math.sin(angle), -3.4 * Math.cos(angle)]
  const side = (sign: 1 | -1): string => `${round(center.x + sign * dx)} ${round(center.y + sign * dy)}`
  return `M ${side(1)} L ${tip.join(' ')} L ${side(-1)} Z`
}
