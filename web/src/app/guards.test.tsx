import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, aUser, beSignedIn, beSignedOut, refusal, serveApi } from '#test/server.ts'
import { endSession, setSession } from '#lib/session/session-store.ts'
import { Entry } from './entry.tsx'
import { RequireGate, RequireSession } from './guards.tsx'
import { Shell } from './shell/shell.tsx'

const page = <RequireSession>the screen</RequireSession>

test('a signed-out visitor signs in first and then returns to the page, except after logging out', () => {
  beSignedOut()
  const first = renderApp(page, '/contact-service/imports?page=2#row')
  expect(first.address()).toBe('/')
  expect(first.place()).toEqual({ returnTo: '/contact-service/imports?page=2#row' })
  first.unmount()

  setSession({ state: 'out', notice: null, keepsPlace: false }, null)
  const second = renderApp(page, '/contact-service/imports')
  expect(second.place()).toBeNull()
})

test('only the person whose session ended returns to the page', () => {
  serveApi({})
  setSession({ state: 'in', user: aUser(), account: 1 }, { token: 't', email: aUser().email, account: 1 })
  endSession('t', 'Your session has ended.')
  const { place, unmount } = renderApp(page, '/contact-service/imports?name=Spring')
  const kept = { returnTo: '/contact-service/imports?name=Spring', owner: aUser().email }
  expect(place()).toEqual(kept)
  unmount()
  for (const [email, path] of [
    [aUser().email, '/contact-service/imports?name=Spring'],
    ['other@example.com', '/home'],
  ] as const) {
    const user = aUser({ email })
    setSession({ state: 'in', user, account: 1 }, { token: 'u', email, account: 1 })
    const entry = renderApp(<Entry />, { pathname: '/', state: kept })
    expect(entry.address()).toBe(path)
    entry.unmount()
  }
  endSession('u', null, 'wanted')
})

test('Try again retries after the portal did not respond', async () => {
  serveApi({})
  setSession({ state: 'unreachable', message: 'Not right now.' }, { token: 't', email: 'a@example.com', account: null })
  const { user } = renderApp(page, '/contact-service')
  expect(screen.getByText('Not right now.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(screen.queryByText('Not right now.')).toBeNull()
})

test('a user without the feature sees its name', async () => {
  beSignedIn({ policies: ['contact-import-list'] })
  serveApi({ 'GET /identity/v1/accounts': answer([{ Key: 1, Value: 'Acme' }]) })
  renderApp(<RequireGate gate={{ feature: 'contact-offers-list' }} screen="Search & Analyze" />)
  expect(await screen.findByText(/which you do not hold in Acme/)).toBeVisible()
  expect(screen.getByText('contact-offers-list')).toBeVisible()
})

test('the address of an area that preferences hide does not open it', async () => {
  const hidden = { menus: { crm: ['-1', aUser().email] }, timeout: 30 }
  beSignedIn({ policies: [], preferences: hidden })
  serveApi({ 'GET /identity/v1/accounts': answer([{ Key: 1, Value: 'Acme' }]) })
  const { unmount } = renderApp(<RequireGate gate={{}} menu="crm" screen="CRM" />)
  expect(await screen.findByRole('heading', { name: 'CRM is hidden from you' })).toBeVisible()
  expect(await screen.findByText(/^The preferences of Acme do not show it to you/)).toBeVisible()
  unmount()
  beSignedIn({ policies: [], preferences: { ...hidden, menus: { crm: [] } } })
  renderApp(<RequireGate gate={{}} menu="crm" screen="CRM" />)
  expect(screen.queryByRole('heading')).toBeNull()
})

function shell(policies: string[], more: Parameters<typeof beSignedIn>[0] = {}) {
  beSignedIn({ policies, ...more })
  const accounts = ['Acme', 'Zenith'].map((Value, index) => ({ Key: index + 1, Value }))
  const sent = serveApi({
    'GET /identity/v1/accounts': answer(accounts),
    'GET /identity/v1/deployment': answer({
      company: 'Acme',
      product: 'Portico',
      helpUrl: 'https://help.example.com',
      modules: ['crm'],
    }),
    'GET /identity/v1/login/2': refusal(404, 'not_found', 'This account is gone.'),
    'POST /identity/v1/logout': answer(null, 204),
  })
  return { sent, ...renderApp(<Shell />, '/contact-service/documents?page=3') }
}

test('a module without an address appears only in the menus of power admins', async () => {
  const menus = { crm: [], assets: [] }
  // Elements have no width in these tests: the row's ruler holds the entries.
  const bar = () => screen.getByRole('navigation', { name: 'Main' })
  const { unmount } = shell([], { preferences: { menus, timeout: 30 } })
  await screen.findByRole('link', { name: /^Help/ })
  expect(bar()).toHaveTextContent('CRM')
  expect(bar()).not.toHaveTextContent('Assets')
  unmount()
  shell([], { preferences: { menus, timeout: 30 }, isPowerAdmin: true })
  await screen.findByRole('link', { name: /^Help/ })
  expect(bar()).toHaveTextContent('Assets')
})

test('the side menu shows what the user may open, the bar shows the account and the help', async () => {
  shell(['contact-export-list', 'contact-offers-list'])
  const menu = screen.getByRole('navigation', { name: 'List Service' })
  expect([...menu.querySelectorAll('a')].map(({ textContent }) => textContent)).toEqual(['Exports', 'Search & Analyze'])
  expect(await screen.findByRole('combobox', { name: 'Account' })).toHaveValue('Acme')
  expect(await screen.findByRole('link', { name: /^Help/ })).toHaveAttribute('href', 'https://help.example.com')
})

test('failing to enter an account keeps the page and shows the reason', async () => {
  const { user, address } = shell([])
  await user.click(await screen.findByRole('combobox', { name: 'Account' }))
  await user.click(await screen.findByRole('option', { name: 'Zenith' }))
  expect(await screen.findByText('This account is gone.')).toBeVisible()
  expect(address()).toBe('/contact-service/documents?page=3')
})

test('the side menu can be collapsed and stays collapsed', async () => {
  const { user } = shell([])
  await user.click(screen.getByRole('button', { name: 'Collapse the side menu' }))
  expect(screen.getByRole('button', { name: 'Expand the side menu' })).toHaveAttribute('aria-expanded', 'false')
  expect(localStorage.getItem('portico.settings')).toContain('"keepMenuExpanded":false')
})
