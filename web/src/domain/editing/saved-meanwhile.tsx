import type { Save } from '@portico/contract/versions'
import { Alert, Button, Group, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconInfoCircle from '#icons/IconInfoCircle'
import { formatDate } from '#lib/formats.ts'
import { useUser } from '#lib/session/session.ts'
import css from './saved-meanwhile.module.css'
import { shownValue } from './shown-value.ts'
import type { ContestedValue, Editing } from './use-editing.ts'

/** How a form shows its values. */
type ValueTexts = {
  /** Labels by path: of its values, and of the fields that the server reports as changed. */
  labels: Readonly<Record<string, string>>
  /** Texts of values that are not shown unchanged; undefined for all others. */
  show?: (path: string, value: unknown) => string | undefined
}

type SavedMeanwhileProps = ValueTexts & {
  editing: Pick<Editing<unknown>, 'conflict' | 'replaced' | 'takeSaved' | 'putBack'>
  isBusy: boolean
  /** Saves the form again. */
  onOverwrite: () => void
}

/** Shown in a form whose item another person has saved meanwhile: who saved what and when, and the user's options. */
export function SavedMeanwhile({ editing, isBusy, onOverwrite, ...texts }: SavedMeanwhileProps) {
  const { conflict, replaced, takeSaved, putBack } = editing
  const [isComparing, setComparing] = useState(false)
  if (conflict) {
    const { saves, values } = conflict
    return (
      <Note key={`conflict ${saves[0]?.version}`} color="red" title={<Title saves={saves} />} isAlert>
        <Saves saves={saves} labels={texts.labels} />
        <Group gap="xs" mt="xs">
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isComparing}
            onClick={() => setComparing(!isComparing)}
          >
            Compare
          </Button>
          <Button size="compact-xs" variant="default" disabled={isBusy} onClick={takeSaved}>
            Use the saved values
          </Button>
          <Button size="compact-xs" color="red.8" loading={isBusy} onClick={onOverwrite}>
            Save mine instead
          </Button>
        </Group>
        {isComparing && <Comparison values={values} {...texts} />}
      </Note>
    )
  }
  if (!replaced) return null
  return (
    <Note key={`replaced ${replaced.size}`} color="blue" title="The form now shows the saved values.">
      {replaced.size > 0 && (
        <>
          <Text size="sm">What you typed in their place:</Text>
          <ul className={css['list']}>
            {[...replaced].map(([path, value]) => (
              <li key={path}>
                <span className={css['value']}>{`${labelOf(path, texts)}: ${textOf(path, value, texts)}`}</span>{' '}
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Put back ${labelOf(path, texts)}`}
                  onClick={() => putBack(path)}
                >
                  Put back
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Note>
  )
}

type NoteProps = { color: string; title: ReactNode; isAlert?: boolean; children: ReactNode }

/** Takes the focus when it appears; its buttons come next. */
function Note({ color, title, isAlert = false, children }: NoteProps) {
  const ref = useRef<HTMLDivElement>(null)
  const Icon = isAlert ? IconAlertTriangle : IconInfoCircle
  useEffect(() => ref.current?.focus(), [])
  return (
    <Alert
      ref={ref}
      tabIndex={-1}
      role={isAlert ? 'alert' : 'status'}
      color={color}
      icon={<Icon size={18} aria-hidden />}
      title={title}
      className={css['note'] ?? ''}
    >
      {children}
    </Alert>
  )
}

function Title({ saves }: { saves: Save[] }) {
  const { email } = useUser()
  const [first, ...others] = new Set(saves.map(({ savedBy }) => savedBy))
  if (first === undefined || others.length > 0) return 'This was saved while you were editing.'
  return first === email
    ? 'You saved this in another window while you were editing here.'
    : `${first} saved this while you were editing.`
}

function Saves({ saves, labels }: { saves: Save[] } & Pick<ValueTexts, 'labels'>) {
  return (
    <ul className={css['list']}>
      {saves.map(({ version, savedBy, savedAt, fields }) => {
        const names = [...new Set(fields.map((field) => labelOf(field, { labels })))]
        return <li key={version}>{`${formatDate(savedAt)}, ${savedBy}: ${names.join(', ') || 'no changes'}`}</li>
      })}
    </ul>
  )
}

function Comparison({ values, ...texts }: { values: ContestedValue[] } & ValueTexts) {
  return (
    <table className={css['comparison']}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Saved</th>
          <th scope="col">Yours</th>
        </tr>
      </thead>
      <tbody>
        {values.map(({ path, saved, mine }) => (
          <tr key={path}>
            <th scope="row">{labelOf(path, texts)}</th>
            <td className={css['value']}>{textOf(path, saved, texts)}</td>
            <td className={css['value']}>{textOf(path, mine, texts)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The label of a path, or of its nearest parent. */
function labelOf(path: string, { labels }: Pick<ValueTexts, 'labels'>): string {
  const outer = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  return labels[path] ?? (outer === '' ? path : labelOf(outer, { labels }))
}

const textOf = (path: string, value: unknown, { show }: ValueTexts): string => show?.(path, value) ?? shownValue(value)
