import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

// Conditions of policies that name the notifications of exports and crons. A trial has a notification of its own.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
})
afterAll(() => portal.close())

const notification = { type: 'http', method: 'post', endpoint: 'http://127.0.0.1:9/x', headers: {}, body: { a: 'b' } }

test.each(['body::notifications.endpoint::nct::127.0.0.1', 'body::instruction.notifications.endpoint::nct::127.0.0.1'])(
  'a trial is refused by the condition %s',
  async (condition) => {
    const account = await portal.account()
    const limited = await memberWith(portal, account, { actions: ['*::*::*'], conditions: [condition] })
    const trying = (endpoint: string) =>
      limited.post('/contact-service/v1/notifications/test', { notification: { ...notification, endpoint } })
    expect(await trying(notification.endpoint)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    expect(await trying('http://localhost:9/x')).toMatchObject({ status: 200, body: { isOk: false } })
  },
)

/** Requests a trial of each notification, as a member with these conditions. */
async function trying(conditions: string[], notifications: object[]) {
  const limited = await memberWith(portal, await portal.account(), { actions: ['*::*::*'], conditions })
  const answers: string[] = []
  for (const each of notifications) {
    const { status } = await limited.post('/contact-service/v1/notifications/test', { notification: each })
    answers.push(`${JSON.stringify(each)} ${status}`)
  }
  return answers
}

test('a call goes only where its condition allows, in every spelling of its URL', async () => {
  const called: (string | undefined)[] = []
  const server = createServer((request, response) => {
    called.push(request.url)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const at = `http://127.0.0.1:${port}`
  const paths = [
    '../admin/x',
    '%2e%2e/admin/x',
    '.%2E/admin/x',
    '\\..\\..\\admin/x',
    '..%2fadmin',
    '..;/admin',
    'a/../../admin',
  ]
  const around = paths.map((path) => ({ ...notification, endpoint: `${at}/public/${path}` }))
  const answers = await trying([`body::notifications.endpoint::sw::${at}/public/`], around)
  expect(answers.filter((line) => !/ (400|403)$/.test(line))).toEqual([])
  expect(called).toEqual([])
  const allowed = { ...notification, endpoint: `HTTP://127.1:${port}/x/../public/ok` }
  expect(await trying([`body::notifications.endpoint::sw::${at}/public/`], [allowed])).toEqual([
    expect.stringMatching(/ 200$/),
  ])
  expect(called).toEqual(['/public/ok'])
  server.close()
})

const spellings = ['127.1', '2130706433', '0x7f000001', '127%2e0.0.1', '①27.0.0.1', '[::ffff:127.0.0.1]', '127.0.0.1.']
test('an address is denied in all its spellings, for calls and for uploads', async () => {
  const calls = spellings.map((host) => ({ ...notification, endpoint: `http://${host}:9/x` }))
  const byCall = await trying(['body::notifications.endpoint::nct::127.0.0.1'], calls)
  expect(byCall.filter((line) => !line.endsWith(' 403'))).toEqual([])
  const named = ['LOCALHOST', 'ⓛocalhost', 'localhost.', 'loc%61lhost'].map((host) => `http://${host}:9/x`)
  const byName = await trying(
    ['body::notifications.endpoint::nct::localhost'],
    named.map((endpoint) => ({ ...notification, endpoint })),
  )
  expect(byName.filter((line) => !line.endsWith(' 403'))).toEqual([])
  const hosts = ['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '::ffff:127.0.0.1', '0:0:0:0:0:ffff:7f00:1']
  const uploads = hosts.map((host) => ({ ...upload, host }))
  const byUpload = await trying(['body::notifications.host::nin::127.0.0.1,localhost'], uploads)
  expect(byUpload.filter((line) => !line.endsWith(' 403'))).toEqual([])
})

test('a condition matches the same URL in another spelling', async () => {
  const calls = [{ ...notification, endpoint: 'http://127.0.0.1:9/x' }]
  for (const rule of ['neq::http://127.1:9/y/../x', 'nin::http://127.1:9/x,http://x.example', 'nsw::HTTP://127.1:9/'])
    expect(await trying([`body::notifications.endpoint::${rule}`], calls)).toEqual([expect.stringMatching(/ 403$/)])
  expect(await trying(['body::notifications.endpoint::eq::http://127.1:9/x'], calls)).toEqual([
    expect.stringMatching(/ 200$/),
  ])
})

const upload = { type: 'sftp', host: '127.0.0.1', port: 9, user: 'ada', password: 'x', folder: '' }
test('an upload goes only into folders its condition allows, in every spelling of the folder', async () => {
  const folders = [
    'public/../private',
    'public/./../private',
    'public//..//private',
    'public\\..\\private',
    'public/.. /private',
  ]
  const answers = await trying(
    ['body::notifications.folder::sw::public/'],
    folders.map((folder) => ({ ...upload, folder })),
  )
  expect(answers.filter((line) => !/ (400|403)$/.test(line))).toEqual([])
  expect(await trying(['body::notifications.folder::sw::public/'], [{ ...upload, folder: './public//x/' }])).toEqual([
    expect.stringMatching(/ 200$/),
  ])
})
