import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let receiver: Server
const held: ServerResponse[] = []
let isSlow = true

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  receiver = createServer((request, response) => {
    if (request.url === '/slow' && isSlow) held.push(response)
    else response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await portal.close()
  receiver.closeAllConnections()
  receiver.close()
})

const tryOut = (by: Member, path: string) =>
  by.post('/contact-service/v1/notifications/test', {
    notification: {
      type: 'http',
      method: 'get',
      endpoint: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`,
    },
  })

test('trials of one account with slow receivers do not refuse or delay trials of other accounts', async () => {
  const slow = await portal.member(await portal.account())
  const other = await portal.member(await portal.account())
  let refused = 0
  const trials = Array.from({ length: 12 }, async () => {
    const answer = await tryOut(slow, '/slow')
    if (answer.status === 429) refused++
    return answer.status
  })
  await expect.poll(() => [refused, held.length]).toEqual([6, 2])
  expect(await tryOut(other, '/')).toMatchObject({ status: 200, body: { isOk: true } })
  isSlow = false
  for (const response of held) response.end()
  expect((await Promise.all(trials)).filter((status) => status === 200)).toHaveLength(6)
})
