import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, aUser, beSignedOut, refusal, serveApi } from '#test/server.ts'
import { currentSession, setSession } from '#lib/session/session-store.ts'
import { SignInPage } from './sign-in-page.tsx'

const accounts = ['Zenith', 'acme', 'Northwind'].map((Value, index) => ({ Key: index + 1, Value }))
const many = Array.from({ length: 30 }, (_, index) => ({ Key: index + 1, Value: `Dealer ${index + 1}` }))
const loggedIn = (list: unknown) => answer({ isTwoFactor: false, token: 'half', user: aUser(), accounts: list })
const entered = answer({ token: 'in', user: aUser(), preferences: aUser().preferences })
const deployment = answer({ company: 'Northwind Holdings', product: 'Portico', helpUrl: '', modules: [] })

beforeEach(() => beSignedOut())

async function signIn(list: unknown) {
  const sent = serveApi({
    'GET /identity/v1/deployment': deployment,
    'POST /identity/v1/login': loggedIn(list),
    ...Object.fromEntries([2, 3].map((account) => [`GET /identity/v1/login/${account}`, entered])),
  })
  const rendered = renderApp(<SignInPage />)
  await rendered.user.type(screen.getByLabelText('E-mail'), 'mara.klein@example.com')
  await rendered.user.type(screen.getByLabelText('Password'), 'secret{Enter}')
  return { ...rendered, sent }
}

test('shows the name of the installation and focuses the first field', async () => {
  serveApi({ 'GET /identity/v1/deployment': deployment })
  renderApp(<SignInPage />)
  expect(await screen.findByText('Portico')).toBeVisible()
  expect(screen.getByText('Northwind Holdings')).toBeVisible()
  expect(screen.getByLabelText('E-mail')).toHaveFocus()
})

test('a missing value is reported at its field, which gets the focus', async () => {
  const sent = serveApi({ 'GET /identity/v1/deployment': deployment })
  const { user } = renderApp(<SignInPage />)
  await user.type(screen.getByLabelText('E-mail'), 'mara@example.com{Enter}')
  expect(screen.getByText('Value is required!')).toBeVisible()
  expect(screen.getByLabelText('Password')).toHaveFocus()
  expect(sent.some(({ call }) => call.startsWith('POST'))).toBe(false)
})

test('the reason of the server is shown, and the password can be typed again', async () => {
  serveApi({
    'GET /identity/v1/deployment': deployment,
    'POST /identity/v1/login': refusal(401, 'wrong_credentials', 'The email or password is wrong.'),
  })
  const { user } = renderApp(<SignInPage />)
  await user.type(screen.getByLabelText('E-mail'), 'mara@example.com')
  await user.type(screen.getByLabelText('Password'), 'nope{Enter}')
  expect(await screen.findByRole('alert')).toHaveTextContent('The email or password is wrong.')
  expect(screen.getByLabelText('Password')).toHaveFocus()
})

test('a temporary password leads to choosing a new one, without the link in the address', async () => {
  const refused = refusal(403, 'password_temporary', 'Choose your own password.', { link: 'the-link' })
  serveApi({ 'GET /identity/v1/deployment': deployment, 'POST /identity/v1/login': refused })
  const { user, address, place } = renderApp(<SignInPage />)
  await user.type(screen.getByLabelText('E-mail'), 'mara@example.com')
  await user.type(screen.getByLabelText('Password'), 'made up{Enter}')
  await waitFor(() => expect(address()).toBe('/reset-password'))
  expect(place()).toEqual({ ownChoice: 'the-link' })
})

test.each([
  ['too_many_attempts', 429, 'Too many failed attempts. Try again in 15 minutes.'],
  ['outside_limits', 401, 'You may sign in on Monday to Friday only.'],
  ['no_account', 403, 'No dashboard account is associated with the user'],
  ['wrong_credentials', 401, 'The email or password is wrong.'],
] as const)('%s is said as the server says it', async (code, status, message) => {
  serveApi({ 'GET /identity/v1/deployment': deployment, 'POST /identity/v1/login': refusal(status, code, message) })
  const { user } = renderApp(<SignInPage />)
  await user.type(screen.getByLabelText('E-mail'), 'mara@example.com')
  await user.type(screen.getByLabelText('Password'), 'secret{Enter}')
  expect(await screen.findByRole('alert')).toHaveTextContent(message)
  expect(currentSession().state).toBe('out')
})

test('Caps Lock is reported while typing the password', () => {
  serveApi({ 'GET /identity/v1/deployment': deployment })
  renderApp(<SignInPage />)
  fireEvent.keyDown(screen.getByLabelText('Password'), { key: 'A', modifierCapsLock: true })
  expect(screen.getByText('Caps Lock is on.')).toBeVisible()
  fireEvent.keyDown(screen.getByLabelText('Password'), { key: 'a', modifierCapsLock: false })
  expect(screen.queryByText('Caps Lock is on.')).toBeNull()
})

test('the accounts are sorted by name, and one is entered', async () => {
  const { user } = await signIn(accounts)
  const buttons = (await screen.findByRole('list', { name: 'Accounts' })).querySelectorAll('button')
  expect([...buttons].map(({ textContent }) => textContent)).toEqual(['acme', 'Northwind', 'Zenith'])
  expect(buttons[0]).toHaveFocus()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(currentSession().state).toBe('in'))
})

test('many accounts can be searched, and Enter picks the first match', async () => {
  const { user, sent } = await signIn(many)
  const search = await screen.findByLabelText('Search accounts')
  expect(search).toHaveFocus()
  await user.type(search, 'xx')
  expect(screen.getByText('No matching account found.')).toBeVisible()
  await user.clear(search)
  await user.type(search, 'DEALER 3{Enter}')
  await waitFor(() => expect(sent.at(-1)?.call).toBe('GET /identity/v1/login/3'))
})

test('the notice of an ended session is shown', () => {
  serveApi({ 'GET /identity/v1/deployment': deployment })
  setSession({ state: 'out', notice: 'Your session has ended. Please sign in again.', keepsPlace: true }, null)
  renderApp(<SignInPage />)
  expect(screen.getByText('Your session has ended. Please sign in again.')).toBeVisible()
})

test('a reload keeps the second step; going back ends it', async () => {
  serveApi({
    'GET /identity/v1/deployment': deployment,
    'POST /identity/v1/login': answer({ isTwoFactor: true, token: 'step' }),
  })
  const first = renderApp(<SignInPage />)
  await first.user.type(screen.getByLabelText('E-mail'), 'mara@example.com')
  await first.user.type(screen.getByLabelText('Password'), 'secret{Enter}')
  expect(await screen.findByLabelText('Code')).toBeVisible()
  first.unmount()

  const second = renderApp(<SignInPage />)
  expect(screen.getByLabelText('Code')).toBeVisible()
  await second.user.click(screen.getByRole('button', { name: 'Back' }))
  expect(screen.getByLabelText('E-mail')).toHaveValue('mara@example.com')
  second.unmount()

  renderApp(<SignInPage />)
  expect(screen.getByLabelText('Password')).toBeVisible()
})
