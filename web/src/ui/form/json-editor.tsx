import { Input, Skeleton } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { JsonCode } from './json-code.ts'
import css from './json-editor.module.css'
import type { JsonProblem, JsonSuggestions } from './json-suggestions.ts'

type JsonEditorProps = {
  label: string
  description: string
  value: string
  onChange: (value: string) => void
  /** Shown below the text. */
  error: string | null
  /** Marked at their places in the text. */
  problems: readonly JsonProblem[]
  suggest: JsonSuggestions
  /** Shown next to the label. */
  action?: ReactNode
}

/** A field of JSON text with suggestions, whose code loads with the first editor. */
export function JsonEditor(props: JsonEditorProps) {
  const { label, description, error, action } = props
  const id = useId()
  const { host, isLoaded, hasFailed } = useJsonCode(props, {
    'aria-label': label,
    'aria-describedby': `${id}-description${error === null ? '' : ` ${id}-error`}`,
    'aria-invalid': String(error !== null),
  })
  return (
    <div className={css['field']}>
      <div className={css['head']}>
        <Input.Label labelElement="div">{label}</Input.Label>
        {action}
      </div>
      <Input.Description id={`${id}-description`} mb={5}>
        {description}
      </Input.Description>
      {hasFailed ? (
        <textarea
          className={css['plain']}
          rows={10}
          spellCheck={false}
          aria-label={label}
          aria-describedby={`${id}-description`}
          aria-invalid={error !== null}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        />
      ) : (
        !isLoaded && <Skeleton height={120} />
      )}
      <div ref={host} />
      {error !== null && (
        <Input.Error id={`${id}-error`} mt={4} role="alert">
          {error}
        </Input.Error>
      )}
    </div>
  )
}

/** Keeps the editor in an element up to date with the field's properties. */
function useJsonCode(props: JsonEditorProps, attributes: Record<string, string>) {
  const host = useRef<HTMLDivElement>(null)
  const [code, setCode] = useState<JsonCode | null>(null)
  const [hasFailed, setFailed] = useState(false)
  const settings = { ...props, attributes }
  const latest = useRef(settings)
  useEffect(() => {
    latest.current = settings
    code?.update(settings)
  })
  useEffect(() => {
    let started: JsonCode | null = null
    let isGone = false
    import('./json-code.ts').then(
      ({ startJsonCode }) => {
        if (isGone || !host.current) return
        started = startJsonCode(host.current, latest.current)
        setCode(started)
      },
      () => setFailed(true),
    )
    return () => {
      isGone = true
      started?.destroy()
    }
  }, [])
  return { host, isLoaded: code !== null, hasFailed }
}
