import type { Impersonation } from '@portico/contract/impersonation'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { hasTypedInput } from '#ui/form/typed-input.ts'
import { ImpersonationPage } from './impersonation-page.tsx'

const held = ['contact-import-list', 'contact-export-list', 'contact-dashboards-list', 'cs-read-only', 'Everything']

const link: Impersonation = {
  _id: '9',
  creator: 'mara.klein@example.com',
  ip: '10.0.0.7',
  policies: ['contact-import-list', 'no-workflows', 'no-blueprints'],
  createdAt: new Date(Date.now() - 60_000).toISOString(),
  expiresAt: new Date(Date.now() + 2 * 3_600_000 + 30_000).toISOString(),
  lastUsedAt: null,
}

const noLinks = { 'GET /identity/v1/impersonations': answer([]) }
const tree = () => within(screen.getByRole('group', { name: 'Permissions' }))
const submit = () => screen.getByRole('button', { name: 'Submit' })

beforeEach(() => beSignedIn({ policies: held, isPowerUser: true }))

test('the IP is required and must be IPv4 or ::1, validated while typing', async () => {
  serveApi(noLinks)
  const { user } = renderApp(<ImpersonationPage />)
  const ip = screen.getByRole('textbox', { name: 'IP' })
  expect(ip).toHaveAttribute('maxlength', '15')
  await user.type(ip, '10.0.0.256')
  expect(ip).toHaveAccessibleDescription(/Value is invalid!/)
  await user.clear(ip)
  expect(ip).toHaveAccessibleDescription(/Value is required!/)
  for (const good of ['::1', '10.0.0.25']) {
    await user.clear(ip)
    await user.type(ip, good)
    expect(ip).not.toBeInvalid()
  }
})

test('unsaved input is registered, to be kept if the session ends', async () => {
  serveApi(noLinks)
  const { user } = renderApp(<ImpersonationPage />)
  expect(hasTypedInput()).toBe(false)
  await user.type(screen.getByRole('textbox', { name: 'IP' }), '10')
  expect(hasTypedInput()).toBe(true)
})

test('at least one permission must be checked', async () => {
  const sent = serveApi(noLinks)
  const { user } = renderApp(<ImpersonationPage />)
  await user.type(screen.getByRole('textbox', { name: 'IP' }), '::1')
  await user.click(submit())
  expect(await screen.findByText('At least one permission must be checked.')).toBeVisible()
  expect(sent.some(({ call }) => call.includes('/login/'))).toBe(false)
  await user.click(tree().getByRole('checkbox', { name: 'Everything' }))
  expect(screen.queryByText('At least one permission must be checked.')).toBeNull()
})

test('permissions are grouped by service; a service and all of its permissions are selected at once', async () => {
  serveApi(noLinks)
  const { user } = renderApp(<ImpersonationPage />)
  const namesIn = (service: string): string[] =>
    within(screen.getByRole('list', { name: service }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent)
  expect(namesIn('List Service')).toEqual(['contact-export-list', 'contact-import-list', 'cs-read-only'])
  expect(namesIn('Dashboards & Reports')).toEqual(['contact-dashboards-list'])
  expect(namesIn('Policies')).toEqual(['Everything'])
  await user.click(tree().getByRole('checkbox', { name: 'List Service' }))
  expect(tree().getByRole('checkbox', { name: 'cs-read-only' })).toBeChecked()
  expect(tree().getByRole('checkbox', { name: 'Select all' })).toBePartiallyChecked()
  await user.click(tree().getByRole('checkbox', { name: 'Select all' }))
  expect(tree().getByRole('checkbox', { name: 'Everything' })).toBeChecked()
  await user.click(tree().getByRole('checkbox', { name: 'Select all' }))
  expect(tree().getByRole('checkbox', { name: 'Everything' })).not.toBeChecked()
})

test('the request contains the selection, the flags and the hours as seconds; the URL is shown and copied', async () => {
  const sent = serveApi({
    ...noLinks,
    'GET /identity/v1/login/10.0.0.7/10800/contact-export-list%2Cno-workflows%2Cno-blueprints': answer({
      token: 'a.b+c',
    }),
  })
  const { user } = renderApp(<ImpersonationPage />)
  await user.type(screen.getByRole('textbox', { name: 'IP' }), '10.0.0.7')
  const slider = screen.getByRole('slider', { name: 'Expires in hours' })
  expect(slider).toHaveAttribute('aria-valuemin', '1')
  expect(slider).toHaveAttribute('aria-valuemax', '48')
  expect(slider).toHaveAttribute('aria-valuenow', '1')
  fireEvent.keyDown(slider, { key: 'ArrowRight' })
  fireEvent.keyDown(slider, { key: 'ArrowRight' })
  await user.click(tree().getByRole('checkbox', { name: 'contact-export-list' }))
  await user.click(submit())
  const url = `${window.location.origin}/#token=a.b%2Bc&aid=1`
  expect(await screen.findByRole('textbox', { name: 'Impersonation URL' })).toHaveValue(url)
  expect(await navigator.clipboard.readText()).toBe(url)
  expect(screen.getByText('The URL was copied to the clipboard.')).toBeVisible()
  expect(sent.filter(({ call }) => call === 'GET /identity/v1/impersonations').length).toBeGreaterThan(1)
  await user.click(screen.getByRole('button', { name: 'Close the link' }))
  expect(screen.queryByRole('textbox', { name: 'Impersonation URL' })).toBeNull()
})

test('with all permissions the path contains none', async () => {
  const sent = serveApi({ ...noLinks, 'GET /identity/v1/login/%3A%3A1/3600': answer({ token: 't' }) })
  const { user } = renderApp(<ImpersonationPage />)
  await user.type(screen.getByRole('textbox', { name: 'IP' }), '::1')
  await user.click(tree().getByRole('checkbox', { name: 'Select all' }))
  await user.click(submit())
  expect(await screen.findByRole('textbox', { name: 'Impersonation URL' })).toBeVisible()
  expect(sent.map(({ call }) => decodeURIComponent(call))).toContain('GET /identity/v1/login/::1/3600')
})

test('reports a response without a token, and a refusal by the server', async () => {
  const answers = [answer({}), refusal(403, 'not_allowed', 'You may not do this.')]
  serveApi({ ...noLinks, 'GET /identity/v1/login/%3A%3A1/3600': () => answers.shift() ?? answer({}) })
  const { user } = renderApp(<ImpersonationPage />)
  await user.type(screen.getByRole('textbox', { name: 'IP' }), '::1')
  await user.click(tree().getByRole('checkbox', { name: 'Select all' }))
  await user.click(submit())
  expect(await screen.findByRole('alert')).toHaveTextContent('No token could be found!')
  await user.click(submit())
  expect(await screen.findByText('You may not do this.')).toBeVisible()
  expect(screen.queryByText('No token could be found!')).toBeNull()
})

test('live links show their creator and expiry, and are revoked after confirmation', async () => {
  let links = [link, { ...link, _id: '10', ip: '::1', policies: null, lastUsedAt: link.createdAt }]
  const sent = serveApi({
    'GET /identity/v1/impersonations': () => answer(links),
    'DELETE /identity/v1/impersonations/9': () => {
      links = links.slice(1)
      return answer(null, 204)
    },
  })
  const { user } = renderApp(<ImpersonationPage />)
  const row = (await screen.findByText('10.0.0.7')).closest('tr')
  expect(row).toHaveTextContent('mara.klein@example.com10.0.0.71 permission2 hnever')
  expect(screen.getByText("All of the creator's")).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Expand link of mara.klein@example.com for 10.0.0.7' }))
  expect(screen.getAllByText('contact-import-list').length).toBe(2)
  expect(screen.queryByText('no-workflows')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Revoke link of mara.klein@example.com for 10.0.0.7' }))
  expect(await screen.findByText('Are you sure?')).toBeVisible()
  expect(sent.some(({ call }) => call.startsWith('DELETE'))).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Yes, revoke it' }))
  expect(await screen.findByText('The link was revoked.')).toBeVisible()
  await vi.waitFor(() => expect(screen.queryByText('10.0.0.7')).toBeNull())
})

test('without policies no link can be created', async () => {
  beSignedIn({ isPowerUser: true })
  serveApi(noLinks)
  renderApp(<ImpersonationPage />)
  expect(await screen.findByText('You have no policies to share.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Submit' })).toBeNull()
})

test('a refusal by the server is shown at its field', async () => {
  const details = [{ field: 'ip', message: 'This address is not reachable.' }]
  const call = 'GET /identity/v1/login/%3A%3A1/3600'
  serveApi({ ...noLinks, [call]: refusal(400, 'invalid_input', 'ip: This address is not reachable.', details) })
  const { user } = renderApp(<ImpersonationPage />)
  const ip = screen.getByRole('textbox', { name: 'IP' })
  await user.type(ip, '::1')
  await user.click(tree().getByRole('checkbox', { name: 'Select all' }))
  await user.click(submit())
  await waitFor(() => expect(ip).toHaveAccessibleDescription(/This address is not reachable\./))
  expect(screen.queryByRole('alert')).toBeNull()
})
