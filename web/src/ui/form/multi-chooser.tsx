import { Button, Combobox, Pill, PillsInput, useCombobox } from '@mantine/core'
import { type ReactNode, useId, useMemo, useState } from 'react'
import IconCheck from '#icons/IconCheck'
import css from './multi-chooser.module.css'

type MultiChooserProps = {
  label: string
  /** All options, in the order in which they are offered. */
  options: string[]
  /** Selected options, in order of selection. */
  value: string[]
  onChange: (value: string[]) => void
  description?: string
  error?: ReactNode
  /** Whether `Select all` selects an option; the others are selected one by one, or when the search finds no others. */
  isSelectedWithAll?: (name: string) => boolean
  /** The choice may be empty. */
  isOptional?: boolean
  /** The options in the plural, for the texts of an empty list: `columns`. */
  noun?: string
  /** The options are still loading. */
  isLoading?: boolean
}

/** The option for all results of the search; names cannot contain this character. */
const everythingFound = '\u0000found'

/** More tags than this would fill the form; the others are counted. */
const shownTags = 12
/** Options are rendered in portions, as rendering a thousand at once makes typing slow. */
const portion = 100

/** Chooses any number of names: by searching, one by one, or all at once. Built for up to a few thousand options. */
export function MultiChooser(props: MultiChooserProps) {
  const { label, options, value, onChange, description, error, isOptional } = props
  const id = useId()
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(portion)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const chosen = useMemo(() => new Set(value), [value])
  const wanted = search.trim().toLowerCase()
  const found = useMemo(() => options.filter((name) => name.toLowerCase().includes(wanted)), [options, wanted])
  const foundToSelect = useMemo(() => bulkOf(found, props.isSelectedWithAll), [found, props.isSelectedWithAll])
  const allToSelect = useMemo(() => bulkOf(options, props.isSelectedWithAll), [options, props.isSelectedWithAll])
  const toggle = (name: string): void =>
    onChange(chosen.has(name) ? value.filter((other) => other !== name) : [...value, name])
  const add = (names: string[]): void => onChange([...value, ...names.filter((name) => !chosen.has(name))])
  const changeSearch = (text: string): void => {
    setSearch(text)
    setLimit(portion)
    combobox.openDropdown()
    combobox.resetSelectedOption()
  }
  return (
    <div className={css['root']}>
      <Combobox
        store={combobox}
        onOptionSubmit={(name) => (name === everythingFound ? add(foundToSelect) : toggle(name))}
      >
        <Combobox.DropdownTarget>
          <PillsInput
            id={id}
            label={
              <>
                {label} <span className={css['count']}>{`${value.length}/${options.length}`}</span>
              </>
            }
            withAsterisk={!isOptional}
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
          <Combobox.Options
            aria-label={label}
            className={css['options'] ?? ''}
            onScroll={({ currentTarget: list }) => {
              const isNearEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 200
              if (isNearEnd && limit < found.length) setLimit(limit + portion)
            }}
          >
            {wanted !== '' && foundToSelect.some((name) => !chosen.has(name)) && (
              <Combobox.Option value={everythingFound} className={css['found'] ?? ''}>
                {`Select all ${foundToSelect.length.toLocaleString('en-US')} found`}
              </Combobox.Option>
            )}
            {found.slice(0, limit).map((name) => (
              <Combobox.Option key={name} value={name} active={chosen.has(name)} className={css['option'] ?? ''}>
                <span className={css['box']} data-checked={chosen.has(name) || undefined} aria-hidden>
                  <IconCheck size={11} stroke={3.5} />
                </span>
                {name}
              </Combobox.Option>
            ))}
            {found.length === 0 && <Combobox.Empty>{emptyText(props, search.trim())}</Combobox.Empty>}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      <BulkButtons
        onAll={allToSelect.every((name) => chosen.has(name)) ? null : () => add(allToSelect)}
        onNone={value.length === 0 ? null : () => onChange([])}
      />
    </div>
  )
}

/** The options that one click selects. */
function bulkOf(options: string[], isSelected: MultiChooserProps['isSelectedWithAll']): string[] {
  const selected = isSelected ? options.filter(isSelected) : options
  return selected.length === 0 ? options : selected
}

/** Null disables a button. */
function BulkButtons({ onAll, onNone }: Record<'onAll' | 'onNone', (() => void) | null>) {
  return (
    <div className={css['bulk']}>
      <Button variant="subtle" size="compact-xs" disabled={onAll === null} onClick={() => onAll?.()}>
        Select all
      </Button>
      <Button variant="subtle" size="compact-xs" disabled={onNone === null} onClick={() => onNone?.()}>
        Clear
      </Button>
    </div>
  )
}

/** Returns why no option is listed. */
function emptyText({ noun, options, isLoading = false }: MultiChooserProps, search: string): string {
  if (isLoading) return 'Loading items. Please wait...'
  if (noun === undefined) return `Nothing found for "${search}"`
  return options.length === 0 ? `No ${noun} are available.` : `No matching ${noun} found.`
}

function Tags({ names, onRemove }: { names: string[]; onRemove: (name: string) => void }) {
  const hidden = names.length - shownTags
  // A single hidden tag is shown rather than counted.
  const shown = hidden > 1 ? names.slice(0, shownTags) : names
  return (
    <>
      {shown.map((name) => (
        // With the keyboard, a name is removed in the list or with Backspace.
        <Pill key={name} className={css['tag'] ?? ''} withRemoveButton onRemove={() => onRemove(name)}>
          {name}
        </Pill>
      ))}
      {hidden > 1 && <Pill className={css['tag'] ?? ''}>{`+ ${hidden.toLocaleString('en-US')} more`}</Pill>}
    </>
  )
}
