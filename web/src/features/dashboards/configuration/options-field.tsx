import { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { checkInput } from '@portico/contract/check-input'
import { JsonInput } from '@mantine/core'
import { useState } from 'react'

type OptionsFieldProps = {
  value: ChartOptions
  onChange: (options: ChartOptions) => void
  onValid: (isValid: boolean) => void
}

/** Options of a chart as JSON, as Google Charts names them. Problems name the option. */
export function OptionsField({ value, onChange, onValid }: OptionsFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [error, setError] = useState<string | null>(null)
  const change = (next: string): void => {
    setText(next)
    const read = readOptions(next)
    setError(read.problem)
    onValid(read.problem === null)
    if (read.options) onChange(read.options)
  }
  return (
    <JsonInput
      label="Options"
      description="JSON, with the names of Google Charts."
      autosize
      minRows={4}
      maxRows={16}
      spellCheck={false}
      value={text}
      error={error}
      onChange={change}
    />
  )
}

/** JSON text as options, or why it is none. A text that starts with a quote is refused (specification 1 §5). */
export function readOptions(
  text: string,
): { options: ChartOptions; problem: null } | { options: null; problem: string } {
  const refused = (problem: string) => ({ options: null, problem })
  if (text.trimStart().startsWith('"')) return refused('Value is invalid!')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    return refused(error instanceof Error ? error.message : 'Value is invalid!')
  }
  const read = checkInput(ChartOptions, parsed)
  if (read.success) return { options: withoutEmpty(read.data), problem: null }
  const [issue] = read.error.issues
  return refused(issue ? `${issue.path.join('.')}: ${issue.message}` : 'Value is invalid!')
}

/** Empty values are dropped when options are saved (specification 1 §3). */
function withoutEmpty(options: ChartOptions): ChartOptions {
  const entries = Object.entries(options).filter(([, value]) => value !== '' && value !== null && value !== undefined)
  return Object.fromEntries(entries) as ChartOptions
}
