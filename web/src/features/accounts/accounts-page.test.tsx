import type { Account } from '@portico/contract/accounts'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { openNew } from '#lib/open-new.ts'
import { currentSession } from '#lib/session/session-store.ts'
import { changeSettings } from '#lib/settings.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, aUser, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { AccountsPage } from './accounts-page.tsx'

const anAccount = (part: Partial<Account> = {}): Account => ({
  Key: 1,
  version: 1,
  Value: 'Lakeside Clinic',
  parent: null,
  timeZone: 'Europe/Zurich',
  isSuspended: false,
  createdAt: '2026-01-31T10:00:00.000Z',
  identities: 1200,
  powerUsers: ['mara.klein@example.com', 'ann@example.com'],
  ...part,
})
const lakeside = anAccount()
const branch = anAccount({
  Key: 7,
  Value: 'Lakeside North',
  parent: { Key: 1, Value: 'Lakeside Clinic' },
  isSuspended: true,
  powerUsers: [],
})
const details = 'GET /identity/v1/accounts/details'
const portal = { [details]: answer([lakeside, branch]), 'GET /identity/v1/accounts': answer([]) }

beforeEach(() => {
  beSignedIn({ isPowerAdmin: true })
  changeSettings({ rowsPerPage: 10 })
})

const sentBody = (sent: Sent[], call: string) => sent.find((one) => one.call === call)?.body
const dialog = async (name: string) => within(await openedDialog(name))

test('lists accounts, and searches them by name or number', async () => {
  serveApi(portal)
  const { user } = renderApp(<AccountsPage />)
  const row = (await screen.findByRole('rowheader', { name: 'Lakeside North' })).closest('tr')
  expect(row).toHaveTextContent('Lakeside North7Lakeside ClinicEurope/Zurich1,200nonesuspended')
  expect(screen.getByText('mara.klein@example.com and 1 more')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Expand Lakeside Clinic' }))
  expect(screen.getByText('ann@example.com')).toBeVisible()
  await user.type(screen.getByRole('textbox', { name: 'Search accounts' }), '7{Enter}')
  expect(screen.queryByRole('rowheader', { name: 'Lakeside Clinic' })).toBeNull()
  await user.type(screen.getByRole('textbox', { name: 'Search accounts' }), '8{Enter}')
  expect(screen.getByText('No matching accounts found.')).toBeVisible()
})

test('creates an account with parent, time zone and first power user', async () => {
  const sent = serveApi({ ...portal, 'POST /identity/v1/accounts': answer(anAccount({ Value: 'Meadow Farm' }), 201) })
  const { user } = renderApp(<AccountsPage />)
  await screen.findByText('Lakeside North')
  await user.click(screen.getByRole('button', { name: 'NEW ACCOUNT' }))
  const form = await dialog('New Account')
  await user.click(form.getByRole('button', { name: 'Create' }))
  const name = form.getByRole('textbox', { name: 'Name' })
  expect(name).toHaveAccessibleDescription('Value is required!')
  await user.type(name, 'LAKESIDE north')
  expect(name).toHaveAccessibleDescription('Value is duplicate!')
  await user.clear(name)
  await user.type(name, ' Meadow Farm ')
  await user.click(form.getByRole('combobox', { name: 'Parent account' }))
  expect(screen.queryByRole('option', { name: 'Lakeside North' })).toBeNull()
  await user.click(await screen.findByRole('option', { name: 'Lakeside Clinic' }))
  const zone = form.getByRole('combobox', { name: 'Time zone' })
  await user.clear(zone)
  await user.type(zone, 'zurich')
  await user.click(await screen.findByRole('option', { name: 'Europe/Zurich' }))
  const first = form.getByRole('textbox', { name: 'First power user' })
  await user.type(first, 'ann')
  expect(first).toHaveAccessibleDescription(/Value is invalid!/)
  await user.type(first, '@example.com')
  await user.click(form.getByRole('button', { name: 'Create' }))
  expect(await screen.findByText("'Meadow Farm' was created.")).toBeVisible()
  expect(sentBody(sent, 'POST /identity/v1/accounts')).toEqual({
    name: 'Meadow Farm',
    parent: 1,
    timeZone: 'Europe/Zurich',
    powerUser: 'ann@example.com',
  })
  expect(sent.filter(({ call }) => call === details)).toHaveLength(2)
})

test('renames an account; a taken name is reported at its field', async () => {
  const answers = [refusal(409, 'name_taken'), answer(anAccount({ Value: 'Lakeside South' }))]
  const sent = serveApi({ ...portal, 'PUT /identity/v1/accounts/7': () => answers.shift() ?? answer(branch) })
  const { user } = renderApp(<AccountsPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit Lakeside North' }))
  const form = await dialog('Edit Lakeside North')
  expect(form.getByRole('button', { name: 'Save' })).toBeDisabled()
  expect(form.queryByRole('textbox', { name: 'First power user' })).toBeNull()
  const name = form.getByRole('textbox', { name: 'Name' })
  await user.clear(name)
  await user.type(name, 'Lakeside South')
  await user.click(form.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(name).toHaveAccessibleDescription('Value is duplicate!'))
  await user.type(name, '{Backspace}h')
  await user.click(form.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText("'Lakeside South' was updated.")).toBeVisible()
  expect(sentBody(sent, 'PUT /identity/v1/accounts/7')).toEqual({
    name: 'Lakeside South',
    timeZone: 'Europe/Zurich',
    version: 1,
  })
})

test('suspends and resumes an account only after its name is typed', async () => {
  const sent = serveApi({
    ...portal,
    'PUT /identity/v1/accounts/1': answer(lakeside),
    'PUT /identity/v1/accounts/7': answer(branch),
  })
  const { user } = renderApp(<AccountsPage />)
  await user.click(await screen.findByRole('button', { name: 'Suspend Lakeside Clinic' }))
  const first = await dialog('Suspend Lakeside Clinic')
  const button = first.getByRole('button', { name: 'Suspend' })
  expect(button).toBeDisabled()
  await user.type(first.getByRole('textbox'), 'lakeside clinic{Enter}')
  expect(first.getByRole('textbox')).toHaveAccessibleDescription('Value is invalid!')
  expect(button).toBeDisabled()
  expect(sent.some(({ call }) => call.startsWith('PUT'))).toBe(false)
  await user.clear(first.getByRole('textbox'))
  await user.type(first.getByRole('textbox'), 'Lakeside Clinic')
  await user.click(button)
  expect(await screen.findByText("'Lakeside Clinic' was suspended.")).toBeVisible()
  expect(sentBody(sent, 'PUT /identity/v1/accounts/1')).toEqual({ isSuspended: true, version: 1 })
  await user.click(screen.getByRole('button', { name: 'Resume Lakeside North' }))
  const second = await dialog('Resume Lakeside North')
  await user.type(second.getByRole('textbox'), 'Lakeside North{Enter}')
  expect(await screen.findByText("'Lakeside North' was resumed.")).toBeVisible()
  expect(sentBody(sent, 'PUT /identity/v1/accounts/7')).toEqual({ isSuspended: false, version: 1 })
})

test('adds a power user, or shows why not', async () => {
  const answers = [refusal(409, 'name_taken', 'Ann is one already.'), answer(branch, 201)]
  const sent = serveApi({
    ...portal,
    'POST /identity/v1/accounts/7/power-users': () => answers.shift() ?? answer(branch, 201),
  })
  const { user } = renderApp(<AccountsPage />)
  await user.click(await screen.findByRole('button', { name: 'Add a power user to Lakeside North' }))
  const form = await dialog('Add a power user to Lakeside North')
  const email = form.getByRole('textbox', { name: 'E-mail' })
  await user.type(email, 'ann@')
  expect(email).toHaveAccessibleDescription(/Value is invalid!/)
  await user.type(email, 'example.com')
  await user.click(form.getByRole('button', { name: 'Add' }))
  await waitFor(() => expect(email).toHaveAccessibleDescription(/Ann is one already\./))
  await user.click(form.getByRole('button', { name: 'Add' }))
  expect(await screen.findByText("'ann@example.com' was added.")).toBeVisible()
  expect(sentBody(sent, 'POST /identity/v1/accounts/7/power-users')).toEqual({
    email: 'ann@example.com',
    accessToAllSubAccounts: false,
  })
  expect(form.queryByRole('checkbox')).toBeNull()
})

test('opens the form for the current account from the quick action, with the sub-accounts option', async () => {
  const added = 'POST /identity/v1/accounts/1/power-users'
  const sent = serveApi({ ...portal, [added]: answer(lakeside, 201) })
  const { user } = renderApp(<AccountsPage />, { pathname: '/iam/accounts', state: openNew })
  const form = await dialog('Add a power user to Lakeside Clinic')
  await user.type(form.getByRole('textbox', { name: 'E-mail' }), 'ann@example.com')
  await user.click(form.getByRole('checkbox', { name: 'Access to All Subaccounts' }))
  await user.click(form.getByRole('button', { name: 'Add' }))
  expect(await screen.findByText("'ann@example.com' was added.")).toBeVisible()
  expect(sentBody(sent, added)).toEqual({ email: 'ann@example.com', accessToAllSubAccounts: true })
})

test('enters an account other than the current one', async () => {
  const user7 = aUser({ account: 7, isPowerAdmin: true })
  serveApi({ ...portal, 'GET /identity/v1/login/7': answer({ token: 'token-7', user: user7, preferences: {} }) })
  const { user, address } = renderApp(<AccountsPage />, '/iam/accounts')
  expect(await screen.findByRole('button', { name: 'Enter Lakeside Clinic' })).toHaveAttribute('aria-disabled', 'true')
  await user.click(screen.getByRole('button', { name: 'Enter Lakeside North' }))
  await waitFor(() => expect(address()).toBe('/home'))
  expect(currentSession()).toMatchObject({ state: 'in', account: 7 })
})
