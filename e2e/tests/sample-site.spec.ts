import { createLog } from '../../server/src/platform/log.ts'
import { startSampleSite } from '../../server/src/sample-site.ts'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { csvLine } from '../contact-file.ts'
import { freePort, type Peers, startPeers } from '../page-script.ts'
import { expect, makeAccount, makePerson, portalUrl, signIn, test } from '../portal.ts'

// The sample site, on a different origin than the portal, with a strict Content-Security-Policy.

test.describe('with a portal that records every call', () => {
  let peers: Peers
  let siteUrl: string
  let stopSite: (() => Promise<void>) | null

  test.beforeEach(async () => {
    peers = await startPeers()
    const port = await freePort()
    const site = { host: '127.0.0.1', port, portalUrl: peers.portalUrl }
    stopSite = await startSampleSite(site, createLog({ level: 'silent' }))
    siteUrl = `http://localhost:${port}`
  })
  test.afterEach(async () => {
    await stopSite?.()
    await peers.close()
  })

  test('greets the visitor, and records the page, a click and a form', async ({ page }) => {
    await page.goto(`${siteUrl}/7/anna-smith`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Autumn is calling, Anna.')
    await expect(page.getByText('Free delivery to Denver')).toBeVisible()
    const panel = page.getByRole('complementary', { name: 'What portico.js did' })
    await expect(panel.getByRole('status')).toHaveText('known')
    await expect(panel.getByText('First Name, City')).toBeVisible()
    await page.getByRole('link', { name: 'See the picks' }).click()
    await page.getByLabel('Seats').selectOption('2')
    await page.getByRole('button', { name: 'Reserve' }).click()
    await expect(page.getByText('2 seats are reserved.')).toBeVisible()
    await expect(panel.getByRole('listitem')).toHaveText([
      'page_view /7',
      'call_to_action a.button.call-to-action',
      'reservation form#reservation',
      'seats_reserved /7',
    ])
    expect(peers.events()).toMatchObject([
      { event_code: 'page_view', event_path: '/7' },
      { event_code: 'call_to_action', event_element: 'a.button.call-to-action' },
      { event_code: 'reservation', event_element: 'form#reservation' },
      { event_code: 'seats_reserved', seats: 2 },
    ])
    await expectAccessible(page)
  })

  test('keeps its own texts for an unknown visitor, and records nothing', async ({ page, trouble }) => {
    trouble.expect('404 GET /api/contact-service/v1/public/7/offers')
    await page.goto(`${siteUrl}/7/stranger`)
    const panel = page.getByRole('complementary', { name: 'What portico.js did' })
    await expect(panel.getByRole('status')).toHaveText('unknown: the page shows its own texts')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Autumn is calling, explorer.')
    await expect(page.getByText('Free delivery')).toBeHidden()
    await page.getByRole('link', { name: 'See the picks' }).click()
    // Leaving a page sends its waiting events.
    peers.visitors['purl=next'] = { 'First Name': 'Next' }
    await page.goto(`${siteUrl}/7/next`)
    await expect(panel.getByRole('listitem')).toHaveText(['page_view /7'])
    expect(peers.calls.map(({ method, query }) => `${method} ${query}`)).toEqual([
      'GET purl=stranger',
      'GET purl=next',
      'POST purl=next',
    ])
  })

  test('works when the script is blocked', async ({ page, trouble }) => {
    trouble.expect('net::ERR_BLOCKED_BY_CLIENT.Inspector')
    await page.route('**/portico.js', (route) => route.abort('blockedbyclient'))
    await page.goto(`${siteUrl}/7/anna-smith`)
    await expect(page.getByText('portico.js is blocked')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Autumn is calling, explorer.')
    await page.getByRole('button', { name: 'Reserve' }).click()
    await expect(page.getByText('One seat is reserved.')).toBeVisible()
    expect(peers.calls).toEqual([])
  })
})

test('with the real portal a visitor is greeted, and the contact shows the events as they arrive', async ({
  page,
  context,
  trouble,
}) => {
  const account = await makeAccount('Willow Outfitters')
  const wilma = await makePerson('Wilma', { accounts: [account] })
  const api = await apiOf(wilma, account)
  const file =
    csvLine(['First Name', 'Last Name', 'City', 'Email']) + csvLine(['Anna', 'Smith', 'Denver', 'anna@x.example'])
  const purls = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
  await api.importFile('Customers', file, purls)
  const port = await freePort()
  const site = { host: '127.0.0.1', port, portalUrl: portalUrl() }
  const stopSite = await startSampleSite(site, createLog({ level: 'silent' }))
  await api.post('/contact-service/v1/remoteAccess', {
    type: 'domain',
    domainOrIp: `localhost:${port}`,
    filter: '{"purl":"{{purl}}"}',
    publicColumns: '"First Name" City',
  })
  await api.until<{ index: { state: string } }[]>(
    '/contact-service/v1/remoteAccess',
    ([access]) => access?.index.state === 'ready',
  )

  const [anna] = await api.get<{ _id: string }[]>('/contact-service/v1/offers')
  const watcher = await context.newPage()
  await signIn(watcher, wilma, account, `/contact-service/documents/${anna?._id}`)
  await expect(watcher.getByText('No events are available.')).toBeVisible()

  await page.goto(`http://localhost:${port}/${account.id}/annasmith`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Autumn is calling, Anna.')
  await expect(page.getByText('Free delivery to Denver')).toBeVisible()
  await watcher.bringToFront()
  await expect(watcher.getByText('page_view')).toBeVisible({ timeout: 20_000 })
  await page.bringToFront()
  await page.getByRole('link', { name: 'See the picks' }).click()
  await page.getByLabel('Seats').selectOption('3')
  await page.getByRole('button', { name: 'Reserve' }).click()
  await expect(page.getByRole('complementary').getByRole('listitem')).toHaveCount(4)

  const aggregate = JSON.stringify([{ $unwind: '$events' }, { $sort: { 'events.event_code': 1 } }])
  const events = await api.get<Record<string, unknown>[]>(
    `/contact-service/v1/offers?aggregate=${encodeURIComponent(aggregate)}`,
  )
  expect(
    events.map((event) => [event['events.event_code'], event['events.event_element'] ?? event['events.event_path']]),
  ).toEqual([
    ['call_to_action', 'a.button.call-to-action'],
    ['page_view', `/${account.id}`],
    ['reservation', 'form#reservation'],
    ['seats_reserved', `/${account.id}`],
  ])

  const script = await page.request.get(`${portalUrl()}/api/contact-service/v1/public/portico.js`)
  const { etag = '', ...headers } = script.headers()
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': expect.stringMatching('max-age=') as unknown,
  })
  expect(await script.text()).toMatch(/^\/\*! portico\.js \d+\.\d+\.\d+ \*\//)
  const known = await page.request.get(script.url(), { headers: { 'if-none-match': etag } })
  expect(known.status()).toBe(304)

  trouble.expect(`404 GET /api/contact-service/v1/public/${account.id}/offers`)
  await page.goto(`http://localhost:${port}/${account.id}/stranger`)
  await expect(page.getByText('unknown: the page shows its own texts')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Autumn is calling, explorer.')
  await stopSite?.()
})
