import type { RemoteAccessUsage } from '@portico/contract/remote-access'
import { screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { aRemoteAccess } from '#test/remote-accesses.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { formatDate } from '#lib/formats.ts'
import { AccessDetails } from './access-details.tsx'

const path = '/contact-service/v1/remoteAccess'
const usage: RemoteAccessUsage = {
  days: [
    { day: '2026-11-20', served: 1200, notFound: 3, several: 1, refused: 2, limited: 0, events: 40, dropped: 5 },
    { day: '2026-11-22', served: 34, notFound: 0, several: 0, refused: 1, limited: 7, events: 2, dropped: 0 },
  ],
  refusedOrigins: [
    {
      origin: 'https://evil.example.org',
      at: '2026-11-22T10:00:00.000Z',
      calls: 2,
      refusal: 'origin_not_allowed',
      text: 'No remote access lets pages of this domain in.',
    },
    {
      origin: 'https://shop.example.com',
      at: '2026-11-20T10:00:00.000Z',
      calls: 1,
      refusal: 'paused',
      text: 'The remote access is paused.',
    },
  ],
  hasUntrustedProxy: false,
}
const portal = { [`GET ${path}/1/usage`]: answer(usage) }

beforeEach(() => {
  beSignedIn({ policies: ['contact-access-list', 'contact-access-create'] })
  // Elements have no size in tests, in which case charts draw nothing.
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(400)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(200)
  // Texts are measured with a canvas; without one, widths are estimated.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('usage shows totals, a chart with its table, and refused origins', async () => {
  serveApi(portal)
  renderApp(<AccessDetails access={aRemoteAccess({ lastUsedAt: '2026-11-22T11:00:00.000Z' })} />)
  const totals = await screen.findByLabelText('Totals of 30 days')
  expect(totals).toHaveTextContent('Served1,234Not found3Several1Refused3Limited7Events42Dropped5')
  expect(screen.getByRole('application', { name: 'Calls per day (UTC) by outcome' })).toBeInTheDocument()
  const rows = within(await screen.findByRole('table', { name: 'Days with calls (UTC)' })).getAllByRole('row')
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'DayServedNot foundSeveralRefusedLimitedEventsDropped',
    '2026-11-2234001720',
    '2026-11-201,2003120405',
  ])
  const refused = within(screen.getByRole('region', { name: 'Refused origins' })).getAllByRole('listitem')
  expect(refused.map(({ textContent }) => textContent)).toEqual([
    `https://evil.example.org2 calls, the last one ${formatDate('2026-11-22T10:00:00.000Z')}. No remote access lets pages of this domain in.`,
    `https://shop.example.com1 call, the last one ${formatDate('2026-11-20T10:00:00.000Z')}. The remote access is paused.`,
  ])
  expect(screen.getByText(formatDate('2026-11-22T11:00:00.000Z'))).toBeVisible()
  expect(screen.queryByRole('note')).toBeNull()
})

test('an access without calls shows a note, and an untrusted proxy shows a warning', async () => {
  serveApi({
    [`GET ${path}/1/usage`]: answer({ days: [], refusedOrigins: [], hasUntrustedProxy: true }),
  })
  renderApp(<AccessDetails access={aRemoteAccess()} />)
  expect(await screen.findByText('No calls in the last 30 days.')).toBeVisible()
  expect(screen.getByRole('note')).toHaveTextContent(/come from a proxy that is not trusted/)
  expect(screen.queryByRole('region', { name: 'Refused origins' })).toBeNull()
})

test('usage that failed to load shows the reason and can be reloaded', async () => {
  let isDown = true
  serveApi({
    [`GET ${path}/1/usage`]: () => (isDown ? refusal(404, 'not_found', 'This remote access is gone.') : answer(usage)),
  })
  const { user } = renderApp(<AccessDetails access={aRemoteAccess()} />)
  expect(await screen.findByText('This remote access is gone.')).toBeVisible()
  isDown = false
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByLabelText('Totals of 30 days')).toBeVisible()
})

test('a trial as a stranger shows the status and the reason', async () => {
  const sent = serveApi({
    ...portal,
    [`POST ${path}/trial`]: answer({
      status: 403,
      offer: null,
      refusal: 'address_not_allowed',
      text: 'No remote access lets this address in.',
      accessId: null,
    }),
  })
  const access = aRemoteAccess({ type: 'ip', domainOrIp: '203.0.113.7', filter: '{"_id":"{{_id}}","Zip":"{{Zip}}"}' })
  const { user } = renderApp(<AccessDetails access={access} />)
  await user.click(screen.getByRole('tab', { name: 'Try it' }))
  const caller = screen.getByRole('textbox', { name: 'As a program at' })
  expect(caller).toHaveValue('203.0.113.7')
  await user.clear(caller)
  await user.type(caller, '198.51.100.1')
  await user.type(screen.getByRole('textbox', { name: 'with ID' }), '17')
  await user.click(screen.getByRole('button', { name: 'Try' }))
  const reply = screen.getByRole('status')
  expect(await within(reply).findByText('No remote access lets this address in.')).toBeVisible()
  expect(reply).toHaveTextContent(/^403/)
  expect(sent.find(({ call }) => call.endsWith('/trial'))?.body).toEqual({
    address: '198.51.100.1',
    query: { _id: '17', Zip: '' },
    id: '1',
  })
  // Another input, another reply.
  await user.type(screen.getByRole('textbox', { name: 'with ID' }), '8')
  expect(reply).toBeEmptyDOMElement()
})

test('problems with a trial are shown at their field, or below', async () => {
  let problem = { field: 'origin', message: 'Value is required!' }
  serveApi({
    ...portal,
    [`POST ${path}/trial`]: () => refusal(400, 'invalid_input', 'Some fields are not valid.', [problem]),
  })
  const { user } = renderApp(<AccessDetails access={aRemoteAccess()} />)
  await user.click(screen.getByRole('tab', { name: 'Try it' }))
  const caller = screen.getByRole('textbox', { name: 'As a page of' })
  await user.clear(caller)
  await user.click(screen.getByRole('button', { name: 'Try' }))
  expect(await screen.findByText('Value is required!')).toBeVisible()
  expect(caller).toHaveAccessibleDescription('Value is required!')
  problem = { field: 'query', message: 'Value is duplicate!' }
  await user.type(caller, 'https://shop.example.com{Enter}')
  expect(await screen.findByRole('alert')).toHaveTextContent('Value is duplicate!')
})

test('the trial needs the right to create accesses', async () => {
  beSignedIn({ policies: ['contact-access-list', 'contact-access-update'] })
  serveApi(portal)
  renderApp(<AccessDetails access={aRemoteAccess()} />)
  await screen.findByLabelText('Totals of 30 days')
  expect(screen.queryByRole('tab', { name: 'Try it' })).toBeNull()
})

test('the code for a page is copied as shown', async () => {
  serveApi(portal)
  const { user } = renderApp(<AccessDetails access={aRemoteAccess()} />)
  await user.click(screen.getByRole('tab', { name: 'Add it to your page' }))
  const code = screen.getByRole('region', { name: 'Code' }).textContent
  expect(code).toContain(`src="${window.location.origin}/api/contact-service/v1/public/portico.js"`)
  expect(code).toContain('data-account="1" data-key="Email"')
  expect(code).toContain('<span data-portico="First Name">there</span>')
  await user.click(screen.getByRole('button', { name: 'Copy' }))
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe(code)
})

test('an access for an IP address shows a call for programs instead', async () => {
  serveApi(portal)
  const { user } = renderApp(<AccessDetails access={aRemoteAccess({ type: 'ip', domainOrIp: '::1' })} />)
  await user.click(screen.getByRole('tab', { name: 'Call it from your program' }))
  const call = `curl '${window.location.origin}/api/contact-service/v1/public/1/offers?Email='`
  expect(screen.getByRole('region', { name: 'Code' })).toHaveTextContent(call)
})
