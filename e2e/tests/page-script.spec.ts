import { chromium, type Page } from '@playwright/test'
import { installedBrowser } from '../../scripts/chromium.mjs'
import { type Peers, startPeers } from '../page-script.ts'
import { expect, test } from '../portal.ts'

// portico.js in a page of another origin with a strict Content-Security-Policy. `trouble` fails a test if the policy
// blocks something.

let peers: Peers

test.beforeEach(async () => {
  peers = await startPeers()
})
test.afterEach(() => peers.close())

const codes = (): string[] => peers.events().map(({ event_code }) => event_code)
const sent = (): string[] => peers.events().map(({ event_code, event_path }) => `${event_code} ${event_path}`)

/** Opens the site as Anna, and waits for the first page view. */
async function openAsAnna(page: Page): Promise<void> {
  await page.goto(`${peers.siteUrl}/anna-smith`)
  await expect(page.getByText('Hello Anna')).toBeVisible()
  await expect.poll(codes).toEqual(['page_view'])
}

const track = (page: Page, code: string, times = 1): Promise<void> =>
  page.evaluate(
    ([name, count]) => {
      const { portico } = window as unknown as { portico: { track: (code: string, details: object) => void } }
      for (let number = 0; number < count; number++) portico.track(name, { number })
    },
    [code, times] as const,
  )

const consent = (page: Page, isGiven: boolean): Promise<void> =>
  page.evaluate((given) => {
    const { portico } = window as unknown as { portico: { consent: (isGiven: boolean) => void } }
    portico.consent(given)
  }, isGiven)

/** Leaves the page, which sends its waiting events, and waits until a call of the next page has arrived. */
async function leave(page: Page): Promise<void> {
  peers.page.attributes = ''
  peers.visitors['purl=next'] = { 'First Name': 'Next' }
  await page.goto(`${peers.siteUrl}/next`)
  await expect.poll(() => peers.events().some(({ event_path }) => event_path === '/')).toBe(true)
}

test('calls need no preflight, send no cookies, and store nothing in the browser', async ({ page, context }) => {
  await context.addCookies([{ name: 'session', value: 'secret', url: peers.portalUrl }])
  await openAsAnna(page)
  expect(peers.calls.map(({ method, path, query }) => `${method} ${path}?${query}`)).toEqual([
    'GET /api/contact-service/v1/public/7/offers?purl=anna-smith',
    'POST /api/contact-service/v1/public/7/events?purl=anna-smith',
  ])
  for (const { headers } of peers.calls) expect(headers).toMatchObject({ origin: peers.siteUrl })
  for (const { headers } of peers.calls) expect(headers).not.toHaveProperty('cookie')
  expect(peers.calls[1]?.headers['content-type']).toBe('text/plain;charset=UTF-8')
  const kept = await page.evaluate(async () => ({
    local: localStorage.length,
    session: sessionStorage.length,
    databases: (await indexedDB.databases()).length,
    cookies: document.cookie,
  }))
  expect(kept).toEqual({ local: 0, session: 0, databases: 0, cookies: '' })
  expect(await context.cookies(peers.siteUrl)).toEqual([])
})

test('the script adds a single global', async ({ page }) => {
  await page.goto(peers.siteUrl)
  const added = await page.evaluate(() => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    const usual = new Set(Object.getOwnPropertyNames(frame.contentWindow))
    frame.remove()
    return Object.getOwnPropertyNames(window).filter((name) => !usual.has(name) && !/^(\d+|__playwright.*)$/.test(name))
  })
  expect(added).toEqual(['portico'])
})

test('a visitor can be identified by two columns in the query, and elements added later are filled', async ({
  page,
}) => {
  peers.page.attributes = 'data-key="First Name" data-from="query:n" data-key2="Zip"'
  peers.visitors['First+Name=Zo%C3%AB&Zip=80202'] = { City: '<b>Denver</b>' }
  await page.goto(`${peers.siteUrl}/offers?n=Zo%C3%AB&Zip=80202`)
  await expect.poll(sent).toEqual(['page_view /offers'])
  await page.evaluate(() => {
    const place = document.createElement('p')
    place.dataset['portico'] = 'City'
    document.body.append(place)
  })
  await expect(page.getByText('<b>Denver</b>')).toBeVisible()
})

test('a visitor can be identified by a subdomain, where each visitor has a host', async ({ page }) => {
  peers.page.attributes = 'data-from="subdomain"'
  await page.goto(`${peers.siteUrl.replace('localhost', 'anna-smith.localhost')}/offers`)
  await expect(page.getByText('Hello Anna')).toBeVisible()
  await expect.poll(sent).toEqual(['page_view /offers'])
})

test('a site that the portal refuses keeps its own texts', async ({ page, trouble }) => {
  trouble.allow(/^403 GET|blocked by CORS policy|net::ERR_FAILED/)
  // The script calls again.
  peers.answers.offers.push(...(Array(20).fill(403) as number[]))
  await page.goto(`${peers.siteUrl}/anna-smith`)
  const visitor = await page.waitForFunction(async () => {
    const { portico } = window as unknown as { portico?: { visitor: Promise<object | null> } }
    return portico ? { is: await portico.visitor } : null
  })
  expect(await visitor.jsonValue()).toEqual({ is: null })
  await expect(page.getByText('Hello friend')).toBeVisible()
})

test.describe('without permission nothing is sent', () => {
  test('with Global Privacy Control, not even after consent', async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {
        value: !location.pathname.endsWith('/next'),
      })
    })
    peers.page.body += '<button data-portico-click="order">Order</button>'
    await page.goto(`${peers.siteUrl}/anna-smith`)
    await page.waitForFunction(() => 'portico' in window)
    await consent(page, true)
    await track(page, 'custom')
    await page.getByRole('button').click()
    await expect(page.getByText('Hello friend')).toBeVisible()
    await leave(page)
    expect(peers.calls.map(({ query }) => query)).toEqual(['purl=next', 'purl=next'])
  })

  test('before the required consent; with it events are sent until it is withdrawn', async ({ page }) => {
    peers.page.attributes = 'data-consent="required"'
    await page.goto(`${peers.siteUrl}/anna-smith`)
    await page.waitForFunction(() => 'portico' in window)
    await track(page, 'before consent')
    await page.evaluate(() => history.pushState(null, '', '/anna-smith/offers'))
    await expect(page.getByText('Hello friend')).toBeVisible()
    expect(peers.calls).toEqual([])

    await consent(page, true)
    await expect(page.getByText('Hello Anna')).toBeVisible()
    await track(page, 'with consent')
    await expect.poll(sent).toEqual(['page_view /offers', 'with consent /offers'])

    await track(page, 'not sent yet')
    await consent(page, false)
    await expect(page.getByText('Hello friend')).toBeVisible()
    await track(page, 'after withdrawal')
    await leave(page)
    expect(sent()).toEqual(['page_view /offers', 'with consent /offers', 'page_view /'])
  })
})

test('events are queued while the browser is offline, and sent once', async ({ page, context }) => {
  await openAsAnna(page)
  await context.setOffline(true)
  await track(page, 'offline', 3)
  // Even now no call is made: `trouble` would see it fail.
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pagehide')))
  await context.setOffline(false)
  await expect.poll(codes).toEqual(['page_view', 'offline', 'offline', 'offline'])
  expect(new Set(peers.events().map(({ id }) => id)).size).toBe(4)
})

test('failed calls are retried with the same events', async ({ page, trouble }) => {
  trouble.allow(/^(429|503) (GET|POST)|net::ERR_(EMPTY_RESPONSE|CONNECTION_RESET|FAILED)|blocked by CORS policy/)
  peers.answers.offers.push(503)
  peers.answers.events.push(0, 429)
  await page.goto(`${peers.siteUrl}/anna-smith`)
  await expect(page.getByText('Hello Anna')).toBeVisible()
  await expect.poll(() => codes().length).toBe(3)
  expect(new Set(peers.events().map(({ id }) => id)).size).toBe(1)
})

test('leaving the page loses no events, even with more than fit in a batch', async ({ page, trouble }) => {
  // The next page requests a visitor whom the portal does not know.
  trouble.allow(/^404 /)
  peers.page.body += '<a href="/next" data-portico-click="leave">Leave</a>'
  await openAsAnna(page)
  await track(page, 'last', 150)
  await page.getByRole('link').click()
  await page.waitForURL('**/next')
  const mine = (): string[] => codes().filter((code) => code === 'last' || code === 'leave')
  await expect.poll(() => mine().length).toBe(151)
  expect(mine().filter((code) => code === 'leave')).toHaveLength(1)
})

test('leaving the page before the visitor is known still records the page view', async ({ page, trouble }) => {
  trouble.allow(/^404 /)
  peers.page.body += '<a href="about:blank">Leave</a>'
  // The portal never answers this call.
  await page.route('**/offers?*', () => {})
  await page.goto(`${peers.siteUrl}/anna-smith`)
  await page.waitForFunction(() => 'portico' in window)
  await page.goto('about:blank')
  await expect.poll(sent).toEqual(['page_view /'])
})

test('browsers without keepalive send the last events as a beacon', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(Request.prototype, 'keepalive'))
  await openAsAnna(page)
  await track(page, 'last')
  await page.goto('about:blank')
  await expect.poll(codes).toEqual(['page_view', 'last'])
  expect(peers.calls.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST'])
})

for (const isNew of [true, false]) {
  test(`each path of a single-page app is recorded once, ${isNew ? 'with' : 'without'} the Navigation API`, async ({
    page,
  }) => {
    if (!isNew) await page.addInitScript(() => Reflect.deleteProperty(window, 'navigation'))
    await openAsAnna(page)
    await page.evaluate(() => {
      history.pushState(null, '', '/anna-smith/offers')
      history.replaceState({ scroll: 10 }, '', '/anna-smith/offers?sort=price#top')
    })
    await page.evaluate(() => history.pushState(null, '', '/anna-smith/offers/1'))
    await page.goBack()
    await track(page, 'end')
    await expect
      .poll(sent)
      .toEqual(['page_view /', 'page_view /offers', 'page_view /offers/1', 'page_view /offers', 'end /offers'])
  })
}

test('a page restored from the back/forward cache records another page view', async () => {
  const executablePath = installedBrowser() ?? '/usr/bin/chromium'
  // Playwright turns the cache off.
  const ignoreDefaultArgs = ['--disable-back-forward-cache']
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], ignoreDefaultArgs })
  const page = await browser.newPage()
  await openAsAnna(page)
  await page.evaluate(() => document.body.setAttribute('data-kept', 'yes'))
  await page.goto('about:blank')
  await page.goBack({ waitUntil: 'commit' })
  await expect(page.locator('body[data-kept=yes]')).toBeVisible()
  await expect.poll(sent).toEqual(['page_view /', 'page_view /'])
  expect(peers.calls.filter(({ method }) => method === 'GET')).toHaveLength(1)
  await browser.close()
})

test('calls made before the script has loaded are kept, except those before consent', async ({ page }) => {
  const release = Promise.withResolvers<void>()
  peers.scriptAfter = release.promise
  peers.page.head = '<script src="/early.js"></script>'
  peers.page.attributes = 'data-consent="required"'
  await page.goto(`${peers.siteUrl}/anna-smith`, { waitUntil: 'commit' })
  await expect(page.getByText('Hello friend')).toBeVisible()
  release.resolve()
  await expect(page.getByText('Hello Anna')).toBeVisible()
  await expect.poll(codes).toEqual(['page_view', 'later'])
  expect(peers.events()[1]).toMatchObject({ step: 2 })
})

test('page views can be turned off while clicks and forms are still recorded', async ({ page }) => {
  peers.page.attributes = 'data-track="off"'
  peers.page.body += `<button class="order" data-portico-click><i>Order</i></button>
    <form id="news" action="javascript:" data-portico-submit><button>Send</button></form>`
  await page.goto(`${peers.siteUrl}/anna-smith`)
  await expect(page.getByText('Hello Anna')).toBeVisible()
  await page.evaluate(() => document.addEventListener('submit', (event) => event.preventDefault()))
  await page.getByText('Order').click()
  await page.getByText('Send').click()
  await expect
    .poll(() => peers.events().map((event) => [event.event_code, event['event_element']]))
    .toEqual([
      ['click', 'button.order'],
      ['form_submit', 'form#news'],
    ])
})
