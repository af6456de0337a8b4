import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { SearchBox } from './search-box.tsx'

function Searched({ onSearch }: { onSearch: (text: string) => void }) {
  const [value, setValue] = useState('ada')
  const search = (text: string): void => {
    onSearch(text)
    // As the address would store it.
    setValue(text.trim())
  }
  return (
    <>
      <SearchBox label="Search" placeholder="Search" value={value} onSearch={search} />
      <button type="button" onClick={() => setValue('')}>
        Show all
      </button>
      <button type="button" onClick={() => setValue('grace')}>
        Another search
      </button>
    </>
  )
}

test('searches once when typing pauses, and keeps a trailing space', async () => {
  const onSearch = vi.fn<(text: string) => void>()
  const { user } = renderApp(<Searched onSearch={onSearch} />)
  await user.type(screen.getByLabelText('Search'), ' lo ')
  await vi.waitFor(() => expect(onSearch).toHaveBeenCalledExactlyOnceWith('ada lo '))
  expect(screen.getByLabelText('Search')).toHaveValue('ada lo ')
})

test('Enter and the clear button search at once', async () => {
  const onSearch = vi.fn<(text: string) => void>()
  const { user } = renderApp(<Searched onSearch={onSearch} />)
  await user.type(screen.getByLabelText('Search'), 'm{Enter}')
  expect(onSearch).toHaveBeenLastCalledWith('adam')
  await user.click(screen.getByRole('button', { name: 'Clear the search' }))
  expect(onSearch).toHaveBeenLastCalledWith('')
  expect(screen.getByLabelText('Search')).toHaveValue('')
})

test('outside changes are shown', async () => {
  const { user } = renderApp(<Searched onSearch={() => undefined} />)
  await user.click(screen.getByRole('button', { name: 'Show all' }))
  expect(screen.getByLabelText('Search')).toHaveValue('')
  await user.click(screen.getByRole('button', { name: 'Another search' }))
  expect(screen.getByLabelText('Search')).toHaveValue('grace')
})

test('outside changes are shown even after the same text was searched here', async () => {
  const { user } = renderApp(<Searched onSearch={() => undefined} />)
  await user.click(screen.getByRole('button', { name: 'Another search' }))
  await user.click(screen.getByRole('button', { name: 'Clear the search' }))
  await user.click(screen.getByRole('button', { name: 'Another search' }))
  await user.click(screen.getByRole('button', { name: 'Show all' }))
  expect(screen.getByLabelText('Search')).toHaveValue('')
})
