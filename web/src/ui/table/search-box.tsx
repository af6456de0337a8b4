import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import IconSearch from '#icons/IconSearch'

export type SearchBoxProps = {
  label: string
  placeholder: string
  /** Current search text. */
  value: string
  /** Called shortly after typing stops, and at once on Enter or when the clear button empties the box. */
  onSearch: (text: string) => void
}

const typingPauseMs = 350

export function SearchBox({ label, placeholder, value, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  const [searched, setSearched] = useState(value)
  const search = (next: string): void => {
    setSearched(next)
    onSearch(next)
  }
  const searchSoon = useDebouncedCallback(search, typingPauseMs)
  const searchNow = (next: string): void => {
    setText(next)
    searchSoon.cancel()
    search(next)
  }
  // A value set from outside replaces the text: going back, another account, 'show all'.
  if (value !== known) {
    setKnown(value)
    if (value !== searched.trim()) {
      setText(value)
      setSearched(value)
    }
  }
  return (
    <form
      style={{ flex: '0 1 280px', minWidth: 160 }}
      onSubmit={(event) => {
        event.preventDefault()
        searchNow(text)
      }}
    >
      <TextInput
        aria-label={label}
        placeholder={placeholder}
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => searchNow('')} />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          searchSoon(event.currentTarget.value)
        }}
      />
    </form>
  )
}
