import { act, screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { changeSettings } from '#lib/settings.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn, serveApi } from '#test/server.ts'
import { UserSettingsPage } from './user-settings-page.tsx'

beforeEach(() => {
  beSignedIn({ isPowerUser: true })
  serveApi({})
  act(() => changeSettings({ keepLastPageViewed: true, areTablesDensed: true, singleExpand: true, rowsPerPage: 10 }))
})

const save = () => screen.getByRole('button', { name: 'Save' })
const kept = (): unknown => JSON.parse(localStorage.getItem('portico.settings') ?? '')

test('Save is enabled by a change, and disabled again after saving', async () => {
  const { user } = renderApp(<UserSettingsPage />)
  expect(save()).toBeDisabled()
  await user.click(screen.getByRole('switch', { name: 'Single expand' }))
  expect(save()).toBeEnabled()
  await user.click(screen.getByRole('switch', { name: 'Single expand' }))
  expect(save()).toBeDisabled()
  await user.click(screen.getByRole('switch', { name: 'Dense rows' }))
  await user.click(screen.getByRole('switch', { name: 'Keep last page viewed' }))
  expect(screen.getAllByRole('radio').map((radio) => radio.getAttribute('value'))).toEqual(['5', '10', '15', 'All'])
  expect(screen.getByRole('radio', { name: '10' })).toBeChecked()
  await user.click(screen.getByRole('radio', { name: 'All' }))
  expect(kept()).toMatchObject({ areTablesDensed: true, rowsPerPage: 10 })
  await user.click(save())
  expect(await screen.findByText('Settings were updated.')).toBeVisible()
  expect(kept()).toMatchObject({
    keepLastPageViewed: false,
    areTablesDensed: false,
    singleExpand: true,
    rowsPerPage: 'All',
  })
  expect(save()).toBeDisabled()
})

test('the browser asks before closing with unsaved settings, but not after saving', async () => {
  const { user } = renderApp(<UserSettingsPage />)
  const isAsked = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(isAsked()).toBe(false)
  await user.click(screen.getByRole('switch', { name: 'Dense rows' }))
  expect(isAsked()).toBe(true)
  await user.click(save())
  expect(isAsked()).toBe(false)
})
