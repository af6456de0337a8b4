import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import { freePort } from '#test/processes/main-process.ts'
import { startSampleSite } from './sample-site.ts'

const log = createLog({ level: 'silent' })
let port: number
let origin: string
let stop: (() => Promise<void>) | null

beforeAll(async () => {
  port = await freePort()
  origin = `http://127.0.0.1:${port}`
  const portalUrl = 'https://portal.example.com/"><script>'
  stop = await startSampleSite({ host: '127.0.0.1', port, portalUrl }, log)
})
afterAll(() => stop?.())

describe('the sample site', () => {
  test('loads the script of the portal for the account in its address', async () => {
    const page = await (await fetch(`${origin}/12/anna-smith`)).text()
    expect(page).toContain('data-account="12"')
    expect(page).toContain(
      'src="https://portal.example.com/&quot;&gt;&lt;script&gt;/api/contact-service/v1/public/portico.js"',
    )
    expect(page).not.toContain('{{')
    expect(page).not.toContain('anna-smith')
  })

  test.each([
    ['/12/anna-smith?color=red', 'text/html; charset=utf-8'],
    ['/sample.css', 'text/css; charset=utf-8'],
    ['/icon.svg', 'image/svg+xml'],
    ['/sample.js', 'text/javascript; charset=utf-8'],
  ])('serves %s with a strict policy', async (path, type) => {
    const reply = await fetch(`${origin}${path}`)
    expect(reply.status).toBe(200)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': type,
      'content-security-policy':
        "default-src 'none'; script-src 'self' https://portal.example.com; connect-src https://portal.example.com; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  test.each([
    '/',
    '/12',
    '/12/',
    '/0/anna',
    '/1234567890/anna',
    '/12/anna/more',
    '/%22/anna',
    '/index.html',
    '/constructor',
  ])('has no page at %s', async (path) => {
    const reply = await fetch(`${origin}${path}`)
    expect([reply.status, await reply.text()]).toEqual([404, 'Page not found. Open /{account}/{purl}.\n'])
  })

  test('is skipped if its port is taken', async () => {
    expect(await startSampleSite({ host: '127.0.0.1', port, portalUrl: 'http://localhost' }, log)).toBeNull()
  })
})

test('it stops even if a browser keeps its connection open', async () => {
  const ended = await startSampleSite({ host: '127.0.0.1', port: await freePort(), portalUrl: 'http://localhost' }, log)
  await expect(ended?.()).resolves.toBeUndefined()
})
