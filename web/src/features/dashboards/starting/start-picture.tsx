import type { ReactNode } from 'react'
import colours from '../picture-colours.module.css'
import css from './start-picture.module.css'
import type { StartName } from './templates.ts'

const [a, b, c, card, text] = [colours['a'], colours['b'], colours['c'], css['card'], css['text']]

type Box = readonly [x: number, y: number, width: number, height: number]

const cards = (...boxes: Box[]): ReactNode =>
  boxes.map(([x, y, width, height]) => (
    <rect key={`${x} ${y}`} className={card} x={x} y={y} width={width} height={height} rx={2} />
  ))

/** Columns on a base line. */
const columns = (x: number, floor: number, heights: readonly number[], name = a): ReactNode =>
  heights.map((height, at) => (
    <rect key={height} className={name} x={x + at * 5} y={floor - height} width={3.4} height={height} />
  ))

const numbers = (...places: number[]): ReactNode =>
  places.map((x, at) => <rect key={x} className={[a, b, c][at % 3]} x={x} y={8} width={10} height={4} rx={1} />)

const pictures: Record<StartName, ReactNode> = {
  empty: (
    <>
      <rect className={css['dashed']} x={4} y={4} width={72} height={48} rx={3} />
      <path className={css['plus']} d="M40 21v14M33 28h14" />
    </>
  ),
  audience: (
    <>
      {cards([4, 4, 22, 12], [29, 4, 22, 12], [54, 4, 22, 12], [4, 19, 42, 33], [49, 19, 27, 33])}
      {numbers(8, 33, 58)}
      {columns(10, 48, [24, 18, 13, 9, 6])}
      <circle className={css['ring-b']} cx={62.5} cy={35.5} r={8} />
      <path className={css['ring-a']} d="M62.5 27.5a8 8 0 0 1 5 14.2" />
    </>
  ),
  activity: (
    <>
      {cards([4, 4, 22, 12], [29, 4, 22, 12], [54, 4, 22, 12], [4, 19, 72, 33])}
      <rect className={text} x={8} y={8} width={14} height={4} rx={2} />
      {numbers(33, 58)}
      <path className={b} d="M8 48V38l13-7 12 5 13-12 13 5 13-3v22z" />
      <path className={a} d="M8 48v-5l13-4 12 3 13-6 13 3 13-2v11z" />
    </>
  ),
  places: (
    <>
      {cards([4, 4, 46, 48], [53, 4, 23, 48])}
      <path className={text} d="M9 16l10-4 10 2-2 9-7 5-3 9-5-8-4-6z" />
      <path className={a} d="M27 15l10-4 9 5-1 9-9 4-6-6-4-1z" />
      <path className={b} d="M29 31l9 1 4 6-6 10-5-8z" />
      {[20, 15, 12, 9, 6].map((width, at) => (
        <rect key={width} className={a} x={56} y={9 + at * 8.5} width={width * 0.85} height={4.5} rx={0.5} />
      ))}
    </>
  ),
  campaign: (
    <>
      {cards([4, 4, 35, 22], [42, 4, 34, 22], [4, 29, 72, 23])}
      <path className={css['gauge-text']} d="M11 22a10.5 10.5 0 0 1 21 0" />
      <path className={css['gauge-c']} d="M11 22a10.5 10.5 0 0 1 14-9.9" />
      {columns(47, 23, [9, 14, 11, 7, 4], b)}
      {[33, 39, 45].map((y) =>
        [8, 30, 52].map((x) => (
          <rect key={`${x} ${y}`} className={y === 33 ? a : text} x={x} y={y} width={18} height={3.4} rx={1} />
        )),
      )}
    </>
  ),
}

/** A small picture of a new dashboard's start. */
export function StartPicture({ start }: { start: StartName }) {
  return (
    <svg viewBox="0 0 80 56" className={css['picture']} aria-hidden focusable="false">
      {pictures[start]}
    </svg>
  )
}
