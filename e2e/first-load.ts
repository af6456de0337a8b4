import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Browser, Page, Request } from '@playwright/test'
import { expect } from './portal.ts'

/** Addresses of the scripts and styles that a page loads when signed in, with an empty cache; `look` uses the page. */
export async function firstLoad(
  page: Page,
  browser: Browser,
  place: string,
  look: (fresh: Page, settled: () => Promise<void>) => Promise<void> = async () => {},
): Promise<string[]> {
  const context = await browser.newContext({ storageState: await page.context().storageState() })
  const fresh = await context.newPage()
  const files: string[] = []
  fresh.on('requestfinished', (request) => {
    if (/\.(js|css)$/.test(request.url())) files.push(request.url())
  })
  const settled = watchRequests(fresh)
  await fresh.goto(new URL(place, page.url()).href)
  await expect(fresh.getByRole('heading', { level: 1 })).toBeVisible()
  await settled()
  await look(fresh, settled)
  await context.close()
  return files
}

/** Returns a function that waits until the page makes no more requests. The stream of changes never ends. */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  let last = Date.now()
  const isCounted = (request: Request): boolean => !new URL(request.url()).pathname.endsWith('/changes')
  const end = (request: Request): void => {
    open.delete(request)
    last = Date.now()
  }
  page.on('request', (request) => isCounted(request) && open.add(request))
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return () => expect.poll(() => open.size === 0 && Date.now() - last > 500, { intervals: [100] }).toBe(true)
}

/**
 * Watches pages for layout shifts from the next navigation on. Returns a function that reads the shown page's score so
 * far, as the browser computes it.
 */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const seen = { shift: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () => page.evaluate(() => (window as unknown as { seen: { shift: number } }).seen.shift)
}

/** Expects the total size of the files to be below a number of bytes, in every compression. */
export async function expectSmall(files: string[], mostBytes = 200_000): Promise<void> {
  expect(files.length).toBeGreaterThan(1)
  for (const encoding of ['br', 'gzip']) {
    const sizes = await Promise.all(files.map((url) => sizeOf(url, encoding)))
    expect(
      sizes.reduce((sum, size) => sum + size, 0),
      encoding,
    ).toBeLessThan(mostBytes)
  }
}

/** Transferred bytes of a file, before decompression. */
async function sizeOf(url: string, encoding: string): Promise<number> {
  const [reply] = await once(get(url, { headers: { 'accept-encoding': encoding } }), 'response')
  return (await buffer(reply as IncomingMessage)).length
}
