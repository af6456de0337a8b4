import type { ReactNode } from 'react'
import type { ChosenKind } from '../configuration/cell-kinds.ts'
import colours from '../picture-colours.module.css'
import css from './kind-picture.module.css'

const [a, b, c, line, text] = [colours['a'], colours['b'], colours['c'], css['line'], css['text']]

const axes = <path className={line} d="M6 4v31h46" />

/** Columns from left to right, by their heights. */
const columns = (heights: readonly number[], name = a): ReactNode =>
  heights.map((height, at) => (
    <rect key={height} className={name} x={10 + at * 10.5} y={34 - height} width={7} height={height} rx={1} />
  ))

/** Rows of a table; `marked` is the highlighted column. */
const table = (rows: number, marked: number | null = null): ReactNode => (
  <>
    <rect className={a} x={5} y={5} width={46} height={7} rx={1.5} />
    {Array.from({ length: rows }, (_, row) =>
      [5, 21, 37].map((x, at) => (
        <rect
          key={`${row} ${x}`}
          className={at === marked ? b : line}
          data-filled
          x={x}
          y={16 + row * 7}
          width={14}
          height={4}
          rx={1}
        />
      )),
    )}
  </>
)

const field = (mark: ReactNode): ReactNode => (
  <>
    <rect className={line} x={5} y={12} width={46} height={16} rx={3} />
    <rect className={text} x={10} y={18} width={20} height={4} rx={2} />
    {mark}
  </>
)

const slices = (
  <>
    <path className={a} d="M28 20V5a15 15 0 0 1 8.8 27.1z" />
    <path className={b} d="M28 20l8.8 12.1a15 15 0 0 1-23-7.5z" />
    <path className={c} d="M28 20l-14.2 4.6A15 15 0 0 1 28 5z" />
  </>
)

const pictures: Record<ChosenKind, ReactNode> = {
  Column: [axes, columns([13, 24, 18, 28])],
  Bar: (
    <>
      {axes}
      <rect className={a} x={8} y={6} width={38} height={6} rx={1} />
      <rect className={a} x={8} y={15} width={27} height={6} rx={1} />
      <rect className={a} x={8} y={24} width={16} height={6} rx={1} />
    </>
  ),
  Line: [axes, <path key="line" className={css['stroke-a']} d="M9 28l11-9 10 5 10-13 10 4" />],
  Area: (
    <>
      <path className={b} d="M7 34V25l11-7 11 4 11-10 10 3v19z" />
      <path className={a} d="M7 34v-4l11-4 11 2 11-7 10 2v11z" />
      {axes}
    </>
  ),
  Combo: [axes, columns([12, 20, 15, 24]), <path key="line" className={css['stroke-c']} d="M13 16l11-6 10 3 11-8" />],
  Pie: slices,
  Donut: (
    <>
      {slices}
      <circle className={css['hole']} cx={28} cy={20} r={7} />
    </>
  ),
  Geo: (
    <>
      <path className={line} data-filled d="M6 9l9-4 10 2-2 7-6 4-2 7-4-6-5-4z" />
      <path className={a} d="M27 8l10-3 13 4-2 8-8 3-4-5-7-1z" />
      <path className={b} d="M29 20l8 1 3 6-5 9-4-7z" />
      <path className={line} data-filled d="M43 27l7-1 1 6-6 2z" />
    </>
  ),
  Table: table(3),
  PaginaTable: [
    <g key="rows">{table(2)}</g>,
    <circle key="one" className={a} cx={22} cy={34} r={2} />,
    <circle key="two" className={text} cx={28} cy={34} r={2} />,
    <circle key="three" className={text} cx={34} cy={34} r={2} />,
  ],
  CalculatedTable: table(3, 2),
  Pivot: (
    <>
      {table(3)}
      <rect className={c} x={5} y={16} width={14} height={18} rx={1.5} />
    </>
  ),
  KPI: (
    <>
      <rect className={text} x={7} y={8} width={20} height={4} rx={2} />
      <path className={css['stroke-a']} d="M8 20v11m6-11h8l-6 11m12-11h7v5h-7v6h7" />
      <path className={css['stroke-b']} d="M42 26l5-6m-4 0h4v4" />
    </>
  ),
  Dropdown: field(<path className={css['stroke-a']} d="M40 18l3 4 3-4" />),
  DatePicker: (
    <>
      <rect className={line} x={13} y={6} width={30} height={29} rx={3} />
      <path className={a} d="M13 13V9a3 3 0 0 1 3-3h24a3 3 0 0 1 3 3v4z" />
      {[18, 25, 32].map((x) =>
        [17, 23].map((y) => <rect key={`${x} ${y}`} className={text} x={x} y={y} width={4} height={3} rx={1} />),
      )}
      <rect className={b} x={25} y={29} width={4} height={3} rx={1} />
    </>
  ),
  Text: (
    <>
      <rect className={a} x={8} y={7} width={24} height={5} rx={2} />
      {[17, 23, 29].map((y, at) => (
        <rect key={y} className={text} x={8} y={y} width={at === 2 ? 26 : 40} height={3} rx={1.5} />
      ))}
    </>
  ),
}

/** A small picture of a kind of cell, next to its name. */
export function KindPicture({ kind }: { kind: ChosenKind }) {
  return (
    <svg viewBox="0 0 56 40" className={css['picture']} aria-hidden focusable="false">
      {pictures[kind]}
    </svg>
  )
}
