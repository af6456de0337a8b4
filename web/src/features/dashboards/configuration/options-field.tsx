import { useMemo } from 'react'
import IconPencil from '#icons/IconPencil'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { JsonEditor } from '#ui/form/json-editor.tsx'
import type { ChosenKind } from './cell-kinds.ts'
import { optionSuggestions } from './options/option-suggestions.ts'
import type { TypedOptions } from './use-typed-options.ts'

type OptionsFieldProps = {
  kind: ChosenKind
  typed: TypedOptions
  /** Edits the options in tabs. */
  onEdit: () => void
}

/**
 * Options of a chart as JSON, as Google Charts names them, and the button that opens them in tabs (specification 1 §2).
 */
export function OptionsField({ kind, typed: { text, read, change }, onEdit }: OptionsFieldProps) {
  const suggest = useMemo(() => optionSuggestions(kind), [kind])
  return (
    <JsonEditor
      label="Options"
      description="JSON, with the names of Google Charts. Ctrl+Space suggests names and values, Tab leaves the text."
      value={text}
      error={read.error}
      problems={read.problems}
      suggest={suggest}
      onChange={change}
      action={
        <RowButton
          label="Edit options"
          hint="Edit in tabs"
          Icon={IconPencil}
          reason={read.parsed === null ? 'Correct the JSON first.' : null}
          onClick={onEdit}
        />
      }
    />
  )
}
