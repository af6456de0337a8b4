import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { currentSession } from '#lib/session/session-store.ts'
import { renderApp } from '#test/render.tsx'
import { answer, aUser, beSignedIn, serveApi } from '#test/server.ts'
import { PreferencesPage } from './preferences-page.tsx'

const saved = {
  menus: { home: [], dashboards: [], contactservice: [], crm: ['ann@example.com'] },
  timeout: 30,
  requiresTwoFactor: false,
}
const set = 'POST /account/v1/SetAccountPreference'
const portal = {
  'GET /account/v1/AccountPreference': answer(saved),
  'GET /identity/v1/user': answer(aUser({ isPowerUser: true, preferences: { menus: {}, timeout: 120 } })),
  [set]: answer({ Result: {} }),
  'GET /contact-service/v1/senders': answer({ senders: [], domains: [], ownAddress: 'portal@example.com' }),
}

beforeEach(() => beSignedIn({ isPowerUser: true }))

const audience = (label: string) => screen.findByRole('combobox', { name: `Who sees ${label}` })
const save = () => screen.getByRole('button', { name: 'Save' })
const reset = () => screen.getByRole('button', { name: 'Reset' })

async function choose(user: ReturnType<typeof renderApp>['user'], label: string, option: string): Promise<void> {
  await user.click(await audience(label))
  await user.click(await screen.findByRole('option', { name: option }))
}

test('shows who sees each menu; Home cannot be turned off', async () => {
  serveApi(portal)
  renderApp(<PreferencesPage />)
  expect(await audience('Home')).toBeDisabled()
  const shown = ['Home', 'Dashboards', 'Campaigns', 'Assets', 'CRM', 'Market Intel', 'List Service', 'Settings']
  const comboboxes = screen.getAllByRole('combobox').map((box) => box.getAttribute('aria-label'))
  expect(comboboxes).toEqual(shown.map((label) => `Who sees ${label}`))
  expect(await audience('Campaigns')).toHaveValue('Off')
  expect(await audience('List Service')).toHaveValue('Everyone')
  expect(await audience('CRM')).toHaveValue('Only these e-mails')
  expect(screen.getByRole('textbox', { name: 'E-mails for CRM' })).toHaveValue('ann@example.com')
  expect(save()).toBeDisabled()
  expect(reset()).toBeDisabled()
})

test('saves menus and timeout as JSON text with the token of the tab, and updates the menus of the user', async () => {
  const sent = serveApi(portal)
  const { user } = renderApp(<PreferencesPage />)
  await choose(user, 'Campaigns', 'Everyone except these')
  const emails = screen.getByRole('textbox', { name: 'E-mails for Campaigns' })
  await user.type(emails, 'bob@example.com, ann@example.com')
  expect(emails).toHaveAccessibleDescription('Invalid email or format given')
  await user.clear(emails)
  await user.type(emails, 'bob@example.com,Bob@example.com')
  expect(emails).toHaveAccessibleDescription('Duplicate value detected')
  await user.click(save())
  expect(sent.some(({ call }) => call === set)).toBe(false)
  await user.clear(emails)
  await user.type(emails, 'bob@example.com')
  await choose(user, 'Dashboards', 'Off')
  await user.click(screen.getByRole('tab', { name: 'Session' }))
  await user.click(screen.getByRole('combobox', { name: 'Timeout' }))
  expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).toEqual(
    [30, 60, 90, 120, 150, 180].map((minutes) => `${minutes} minutes`),
  )
  await user.click(screen.getByRole('option', { name: '120 minutes' }))
  await user.click(screen.getByRole('switch', { name: 'Require two-factor' }))
  await user.click(save())
  expect(await screen.findByText('Preferences were updated.')).toBeVisible()
  const body = sent.find(({ call }) => call === set)?.body as { Preference: string }
  expect(body).toMatchObject({ AccountID: 1, IdentityToken: 'token-1' })
  expect(JSON.parse(body.Preference)).toEqual({
    menus: { home: [], contactservice: [], crm: ['ann@example.com'], campaigns: ['-1', 'bob@example.com'] },
    timeout: 120,
    requiresTwoFactor: true,
    fullScreenIsActivity: false,
  })
  expect(currentSession()).toMatchObject({ user: { preferences: { menus: {}, timeout: 120 } } })
  expect(save()).toBeDisabled()
})

test('shows the messages of the result, error and exception', async () => {
  const results = [{ ErrorCode: 'E1', ErrorMessage: 'Bad menu.', ExceptionMessage: 'at line 3' }, { ErrorCode: 'E2' }]
  const refuse = () => answer({ Result: results.shift() ?? {} })
  serveApi({ ...portal, [set]: refuse })
  const { user } = renderApp(<PreferencesPage />)
  await choose(user, 'Dashboards', 'Off')
  await user.click(save())
  const alert = await screen.findByRole('alert')
  expect(alert).toHaveTextContent('Bad menu.at line 3')
  expect(save()).toBeEnabled()
  await user.click(save())
  expect(await screen.findByText('E2')).toBeVisible()
})

test('a reset asks first, then restores the saved values', async () => {
  serveApi(portal)
  const { user } = renderApp(<PreferencesPage />)
  await choose(user, 'CRM', 'Off')
  await user.click(reset())
  const question = 'The form will reset and your unsaved changes will be lost. Do you still want to continue?'
  expect(await screen.findByText(question)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'No' }))
  expect(await audience('CRM')).toHaveValue('Off')
  await user.click(reset())
  await user.click(await screen.findByRole('button', { name: 'Yes, reset' }))
  expect(await audience('CRM')).toHaveValue('Only these e-mails')
  expect(save()).toBeDisabled()
})
