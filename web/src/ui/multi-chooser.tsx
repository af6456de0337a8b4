import { Button, Combobox, Pill, PillsInput, useCombobox } from '@mantine/core'
import { type ReactNode, useId, useMemo, useState } from 'react'
import IconCheck from '#icons/IconCheck'
import css from './multi-chooser.module.css'

type MultiChooserProps = {
  label: string
  /** All that can be chosen, in the order in which it is offered. */
  options: string[]
  /** What is chosen, in the order in which it was. */
  value: string[]
  onChange: (value: string[]) => void
  description?: string
  error?: ReactNode
}

/** More tags than that fill the form; the rest is counted. */
const shownTags = 12
/** Options are drawn in portions, as drawing a thousand at once makes typing slow. */
const portion = 100

/** Chooses any number of names: by searching, one by one, or all at once. Made for up to some thousand options. */
export function MultiChooser({ label, options, value, onChange, description, error }: MultiChooserProps) {
  const id = useId()
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(portion)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const chosen = useMemo(() => new Set(value), [value])
  const wanted = search.trim().toLowerCase()
  const found = useMemo(() => options.filter((name) => name.toLowerCase().includes(wanted)), [options, wanted])
  const toggle = (name: string): void =>
    onChange(chosen.has(name) ? value.filter((other) => other !== name) : [...value, name])
  const changeSearch = (text: string): void => {
    setSearch(text)
    setLimit(portion)
    combobox.openDropdown()
    combobox.resetSelectedOption()
  }
  return (
    <Combobox store={combobox} onOptionSubmit={toggle}>
      <Combobox.DropdownTarget>
        <PillsInput
          id={id}
          label={
            <>
              {label} <span className={css['count']}>{`${value.length}/${options.length}`}</span>
            </>
          }
          withAsterisk
          description={description}
          error={error}
          onClick={() => combobox.openDropdown()}
          rightSection={<Combobox.Chevron size="xs" />}
          rightSectionPointerEvents="none"
        >
          <Pill.Group className={css['tags'] ?? ''}>
            <Tags names={value} onRemove={toggle} />
            <Combobox.EventsTarget withExpandedAttribute autoComplete="off">
              <PillsInput.Field
                id={id}
                className={css['field'] ?? ''}
                placeholder={value.length === 0 ? 'Search and choose' : 'Search'}
                value={search}
                onChange={(event) => changeSearch(event.currentTarget.value)}
                onFocus={() => combobox.openDropdown()}
                onBlur={() => {
                  combobox.closeDropdown()
                  setSearch('')
                }}
                onKeyDown={(event) => {
                  const last = value.at(-1)
                  if (event.key === 'Backspace' && search === '' && last !== undefined) toggle(last)
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Bulk found={found} isSearch={wanted !== ''} chosen={chosen} value={value} onChange={onChange} />
        <Combobox.Options
          aria-label={label}
          className={css['options'] ?? ''}
          onScroll={({ currentTarget: list }) => {
            const isNearEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 200
            if (isNearEnd && limit < found.length) setLimit(limit + portion)
          }}
        >
          {found.slice(0, limit).map((name) => (
            <Combobox.Option key={name} value={name} active={chosen.has(name)} className={css['option'] ?? ''}>
              <span className={css['box']} data-checked={chosen.has(name) || undefined} aria-hidden>
                <IconCheck size={11} stroke={3.5} />
              </span>
              {name}
            </Combobox.Option>
          ))}
          {found.length === 0 && <Combobox.Empty>{`Nothing found for "${search.trim()}"`}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function Tags({ names, onRemove }: { names: string[]; onRemove: (name: string) => void }) {
  const hidden = names.length - shownTags
  // A single one more is shown rather than counted.
  const shown = hidden > 1 ? names.slice(0, shownTags) : names
  return (
    <>
      {shown.map((name) => (
        <Pill
          key={name}
          className={css['tag'] ?? ''}
          withRemoveButton
          removeButtonProps={{ 'aria-label': `Remove ${name}` }}
          onRemove={() => onRemove(name)}
        >
          {name}
        </Pill>
      ))}
      {hidden > 1 && <Pill className={css['tag'] ?? ''}>{`+ ${hidden.toLocaleString('en-US')} more`}</Pill>}
    </>
  )
}

type BulkProps = {
  found: string[]
  isSearch: boolean
  chosen: ReadonlySet<string>
  value: string[]
  onChange: (value: string[]) => void
}

/** Chooses or leaves all that the search has found. */
function Bulk({ found, isSearch, chosen, value, onChange }: BulkProps) {
  const missing = found.filter((name) => !chosen.has(name))
  const foundSet = new Set(found)
  const what = isSearch ? `${found.length.toLocaleString('en-US')} found` : 'all'
  return (
    // Pressing the mouse here must not take the focus from the search, which would close the list.
    <div className={css['bulk']} onMouseDown={(event) => event.preventDefault()} role="presentation">
      <Button
        variant="subtle"
        size="compact-xs"
        disabled={missing.length === 0}
        onClick={() => onChange([...value, ...missing])}
      >
        {`Select ${what}`}
      </Button>
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        disabled={found.length === missing.length}
        onClick={() => onChange(value.filter((name) => !foundSet.has(name)))}
      >
        {`Clear ${what}`}
      </Button>
    </div>
  )
}
