import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { useMemo, useState } from 'react'
import { type ReadOptions, readOptions, textOfOptions } from './options/read-options.ts'

type Options = CellChart['options']

export type TypedOptions = {
  text: string
  read: ReadOptions
  change: (text: string) => void
  /** The user has typed since the options were set from elsewhere. */
  isTyped: boolean
}

/** The text of a chart's options, which may be invalid while being typed. Options set from elsewhere replace it. */
export function useTypedOptions(options: Options, onChange: (options: Options) => void): TypedOptions {
  // `of`: the options that the text stands for, or the last valid ones.
  const [typed, setTyped] = useState<{ text: string; of: Options } | null>(null)
  const isTyped = typed?.of === options
  const text = isTyped ? typed.text : textOfOptions(options)
  const read = useMemo(() => readOptions(text), [text])
  const change = (next: string): void => {
    const right = readOptions(next).options
    if (right) onChange(right)
    setTyped({ text: next, of: right ?? options })
  }
  return { text, read, change, isTyped }
}
