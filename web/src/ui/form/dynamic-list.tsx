import { ActionIcon, Autocomplete, Button, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import css from './dynamic-list.module.css'

type DynamicListProps = {
  /** Noun for one entry: 'PURL column'. */
  noun: string
  values: string[]
  onChange: (values: string[]) => void
  /** Problems by index of the entry. */
  problems: (string | undefined)[]
  /** Maximum number of entries. */
  max: number
  /** Offered while typing; without suggestions, the entries are emails. */
  suggestions?: string[]
}

/** A list of texts, each in a field of its own, that grows and shrinks. Deleting asks first. */
export function DynamicList(props: DynamicListProps) {
  const { noun, values, onChange, problems, max, suggestions } = props
  const [deleting, setDeleting] = useState<number | null>(null)
  const list = useFocusOnNewEntry(values.length)
  const change = (index: number, text: string): void => onChange(values.with(index, text))
  const remove = (): void => {
    if (deleting !== null) onChange(values.toSpliced(deleting, 1))
    setDeleting(null)
  }
  return (
    <>
      {values.length > 0 ? (
        <ol className={css['list']} ref={list}>
          {values.map((value, index) => (
            // Entries have no identity but their position: two may hold the same text while typing.
            <li key={index} className={css['row']}>
              <span className={css['position']} aria-hidden>
                {index + 1}.
              </span>
              <Entry
                label={`${noun} ${index + 1}`}
                value={value}
                onChange={(text) => change(index, text)}
                error={problems[index]}
                suggestions={suggestions?.filter((one) => one === value || !values.includes(one))}
              />
              <ActionIcon
                size={30}
                color="red"
                aria-label={`Delete ${noun} ${index + 1}`}
                title="Delete"
                onClick={() => setDeleting(index)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ol>
      ) : (
        <p className={css['none']}>None yet.</p>
      )}
      <div className={css['foot']}>
        <Button
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={values.length >= max}
          onClick={() => onChange([...values, ''])}
        >
          {`Add ${noun}`}
        </Button>
        <Text size="xs" c="dimmed">{`${values.length} of at most ${max}`}</Text>
      </div>
      <ConfirmDialog
        isOpen={deleting !== null}
        title={`Delete ${noun}`}
        question="Are you sure?"
        confirmLabel="Yes, delete it"
        onConfirm={remove}
        onClose={() => setDeleting(null)}
      />
    </>
  )
}

type EntryProps = {
  label: string
  value: string
  onChange: (text: string) => void
  error: string | undefined
  suggestions: string[] | undefined
}

function Entry({ label, value, onChange, error, suggestions }: EntryProps) {
  const shared = { 'aria-label': label, value, error, autoComplete: 'off', spellCheck: false }
  return suggestions ? (
    <Autocomplete {...shared} data={suggestions} limit={50} onChange={onChange} />
  ) : (
    <TextInput {...shared} inputMode="email" onChange={(event) => onChange(event.currentTarget.value)} />
  )
}

/** Focuses a new entry, ready for typing. */
function useFocusOnNewEntry(length: number) {
  const list = useRef<HTMLOListElement>(null)
  const before = useRef(length)
  useEffect(() => {
    if (length === before.current + 1) list.current?.querySelector<HTMLElement>('li:last-child input')?.focus()
    before.current = length
  }, [length])
  return list
}
