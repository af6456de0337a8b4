import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { changeSettings, useSetting, useSettings } from './settings.ts'

function Setting() {
  const [isDense, setDense] = useSetting('areTablesDensed')
  return (
    <button type="button" onClick={() => setDense(!isDense)}>
      {isDense ? 'dense' : 'cozy'}
    </button>
  )
}

test('a setting is stored and synchronized between tabs; invalid values become the default', async () => {
  const { user } = renderApp(<Setting />)
  await user.click(screen.getByRole('button', { name: 'dense' }))
  expect(screen.getByRole('button', { name: 'cozy' })).toBeVisible()
  expect(JSON.parse(localStorage.getItem('portico.settings') ?? '')).toMatchObject({ areTablesDensed: false })

  const writeElsewhere = (text: string): void => {
    localStorage.setItem('portico.settings', text)
    window.dispatchEvent(new StorageEvent('storage', { key: 'portico.settings', newValue: text }))
  }
  writeElsewhere('{"areTablesDensed":true}')
  expect(await screen.findByRole('button', { name: 'dense' })).toBeVisible()
  writeElsewhere('{"areTablesDensed":false}')
  expect(await screen.findByRole('button', { name: 'cozy' })).toBeVisible()
  writeElsewhere('{"areTablesDensed":"maybe"}')
  expect(await screen.findByRole('button', { name: 'dense' })).toBeVisible()
  writeElsewhere('not json')
  expect(await screen.findByRole('button', { name: 'dense' })).toBeVisible()
})

function All() {
  const { rowsPerPage, lastPageViewed, keepLastPageViewed } = useSettings()
  return <p>{[rowsPerPage, lastPageViewed, keepLastPageViewed].join(' ')}</p>
}

test('settings have defaults, change together, and ignore invalid values', async () => {
  renderApp(<All />)
  expect(screen.getByText('10 /iam/policies true')).toBeVisible()
  act(() => changeSettings({ rowsPerPage: 'All', keepLastPageViewed: false }))
  expect(screen.getByText('All /iam/policies false')).toBeVisible()

  localStorage.setItem('portico.settings', '{"rowsPerPage":7,"lastPageViewed":"//elsewhere.example","singleExpand":0}')
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'portico.settings' })))
  expect(screen.getByText('10 /iam/policies true')).toBeVisible()
})
