import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCron, crons } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

test('a cron keeps a secret header only for the same address, and never shows it', async () => {
  const notification = {
    type: 'http',
    method: 'post',
    endpoint: 'https://hooks.example.com/a',
    headers: { authorization: 'Bearer secret-text' },
    body: { ready: true },
  }
  const instruction = { name: 'Daily export', delimiter: 'csv', exportFields: ['_id'], notifications: [notification] }
  const cron = await addCron(owner, { instruction })
  expect(cron.instruction).toMatchObject({ notifications: [{ headers: { authorization: null } }] })
  expect(JSON.stringify(cron)).not.toContain('secret-text')
  const { rows } = await portal.parts.database.pool.query('SELECT * FROM portico.crons WHERE id = $1', [cron._id])
  expect(JSON.stringify(rows)).not.toContain('secret-text')
  expect(await owner.put(`${crons}/${cron._id}`, { ...cron, name: 'Kept' })).toMatchObject({ status: 200 })
  const moved = { ...notification, endpoint: 'https://evil.example.net/a', headers: { authorization: null } }
  const reply = await owner.put(`${crons}/${cron._id}`, {
    ...cron,
    version: 2,
    instruction: { ...cron.instruction, notifications: [moved] },
  })
  expect(reply.body).toMatchObject({
    error: {
      details: [{ field: 'instruction.notifications.0.headers.authorization', message: 'Value is required!' }],
    },
  })
})

test('a cron keeps secret values of a query and a body only for the same host, each by its position', async () => {
  const notification = {
    type: 'http',
    method: 'post',
    endpoint: 'https://hooks.example.com/a?x=secret-1&y={{name}}&x=secret-2',
    headers: { 'X-Pin': 'secret-3' },
    body: { token: 'secret-4', ready: true },
  }
  const instruction = { name: 'Daily export', delimiter: 'csv', exportFields: ['_id'], notifications: [notification] }
  const cron = await addCron(owner, { instruction })
  const shown = {
    endpoint: 'https://hooks.example.com/a?x={{secret}}&y={{name}}&x={{secret}}',
    headers: { 'X-Pin': null },
    body: { token: '{{secret}}', ready: true },
  }
  expect(cron.instruction).toMatchObject({ notifications: [shown] })
  const { rows } = await portal.parts.database.pool.query('SELECT * FROM portico.audit_log')
  expect(JSON.stringify([rows, (await owner.get(`${crons}?consumerCode=EXPORT`)).body])).not.toContain('secret-')
  const { version: _version, ...draft } = cron
  const put = (part: object) =>
    owner.put(`${crons}/${cron._id}`, {
      ...draft,
      instruction: { ...instruction, notifications: [{ ...notification, ...shown, ...part }] },
    })
  expect(await put({})).toMatchObject({ status: 200, body: { instruction: { notifications: [shown] } } })
  const moved = await put({ endpoint: shown.endpoint.replace('hooks', 'evil') })
  expect(moved.body).toMatchObject({
    error: { details: [{ field: expect.stringContaining('instruction.notifications.0') }] },
  })
  expect(await put({ endpoint: 'https://hooks.example.com/a?z={{secret}}' })).toMatchObject({
    status: 400,
    body: { error: { details: [{ field: 'instruction.notifications.0.endpoint', message: 'Value is required!' }] } },
  })
})

test('a cron keeps the password of a server for every spelling of its host, and for no other host', async () => {
  const spelled = [
    ['SFTP.Example.com', 'sftp.example.COM', 'sftp.example.net'],
    ['2001:DB8:0:0::1', '2001:db8::1', '2001:db8::2'],
    ['203.0.113.7', '203.0.113.007', '203.0.113.70'],
  ]
  for (const [host, same, other] of spelled) {
    const server = { type: 'sftp', host, user: 'me', password: 'hidden-text' }
    const instruction = { name: 'Daily export', delimiter: 'csv', exportFields: ['_id'], notifications: [server] }
    const cron = await addCron(owner, { instruction })
    const put = (moved: string | undefined, known: object) => {
      const notifications = [{ ...server, host: moved, password: null }]
      return owner.put(`${crons}/${cron._id}`, { ...known, instruction: { ...instruction, notifications } })
    }
    const kept = await put(same, cron)
    expect([same, kept]).toMatchObject([same, { status: 200 }])
    const details = [{ field: 'instruction.notifications.0.password', message: 'Value is required!' }]
    expect([other, (await put(other, kept.json<object>())).body]).toMatchObject([other, { error: { details } }])
  }
})

test('changing a cron stored in clear by an earlier release writes none of its secrets to the audit log', async () => {
  const notification = { type: 'http', method: 'post', endpoint: 'https://hooks.example.com/a', body: { ready: true } }
  const instruction = { name: 'Daily export', delimiter: 'csv', exportFields: ['_id'], notifications: [notification] }
  const cron = await addCron(owner, { instruction })
  const { pool } = portal.parts.database
  const inClear = {
    ...notification,
    endpoint: `${notification.endpoint}?token=old-secret-q#old-secret-f`,
    headers: { 'X-Pin': 'old-secret-h' },
    body: { ready: true, auth: { value: 'old-secret-b' } },
  }
  await pool.query('UPDATE portico.crons SET instruction = $1, sealed_secrets = NULL WHERE id = $2', [
    JSON.stringify({ ...instruction, notifications: [inClear] }),
    cron._id,
  ])
  const shown = (await owner.get(`${crons}/${cron._id}?consumerCode=EXPORT`)).json<typeof cron>()
  expect(await owner.put(`${crons}/${cron._id}`, { ...shown, name: 'Changed' })).toMatchObject({ status: 200 })
  const { rows: log } = await pool.query('SELECT * FROM portico.audit_log')
  const { rows } = await pool.query('SELECT * FROM portico.crons WHERE id = $1', [cron._id])
  expect(JSON.stringify(log)).toContain('cron changed')
  expect(JSON.stringify([shown, log, rows])).not.toContain('old-secret-')
})
