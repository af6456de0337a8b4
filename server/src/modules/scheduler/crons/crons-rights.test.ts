import { afterAll, beforeAll, expect, test } from 'vitest'
import { findIdentity } from '#test/kit/administration.ts'
import { linkOf } from '#test/resources/access.ts'
import { addCron, crons, newCron, runsOf, schedules } from '#test/resources/crons.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const exportRight = 'contact-service::exports::post'
const cronRights = ['scheduler::crons::get', 'scheduler::crons::post', 'scheduler::crons::put'] as const

test('calls require a right of the scheduler, and saving also requires that of exports', async () => {
  const { account } = owner
  const cron = await addCron(owner)
  const none = await portal.member(account, 'contact-service::offers::get')
  expect(await none.get(`${crons}?consumerCode=EXPORT`)).toMatchObject({ status: 403 })
  expect(await none.get(`${schedules}?consumerCode=EXPORT`)).toMatchObject({ status: 403 })
  const reader = await portal.member(account, 'scheduler::crons::get')
  expect(await reader.get(`${crons}/${cron._id}`)).toMatchObject({ status: 200 })
  expect(await reader.post(crons, newCron())).toMatchObject({ status: 403 })
  expect(await reader.post(`${crons}/${cron._id}/run`)).toMatchObject({ status: 403 })
  const scheduler = await portal.member(account, ...cronRights)
  const refused = await scheduler.post(crons, newCron())
  expect(refused).toMatchObject({ status: 403 })
  expect(refused.body).toMatchObject({ error: { message: expect.stringContaining(exportRight) } })
  for (const path of ['resume', 'run']) {
    expect(await scheduler.post(`${crons}/${cron._id}/${path}`)).toMatchObject({ status: 403 })
  }
  expect(await scheduler.post(`${crons}/${cron._id}/pause`, {})).toMatchObject({ status: 200 })
  const exporter = await portal.member(account, ...cronRights, exportRight)
  expect(await exporter.post(`${crons}/${cron._id}/resume`)).toMatchObject({ status: 200 })
  expect(await exporter.post(crons, newCron())).toMatchObject({ status: 201 })
})

test('an impersonation link can see crons, but not save, resume, run or take over any', async () => {
  const author = await portal.member(owner.account, ...cronRights, exportRight)
  const cron = await addCron(author)
  const link = portal.holder(await linkOf(owner))
  expect(await link.get(`${crons}/${cron._id}`)).toMatchObject({ status: 200 })
  const calls = [
    link.post(crons, newCron()),
    link.put(`${crons}/${cron._id}`, cron),
    link.post(`${crons}/${cron._id}/resume`),
    link.post(`${crons}/${cron._id}/run`),
  ]
  expect(await link.post(`${crons}/${cron._id}/author`)).toMatchObject({ status: 403 })
  for (const reply of await Promise.all(calls)) {
    expect(reply).toMatchObject({ status: 403, body: { error: { message: expect.stringMatching(/^Impersonation/) } } })
  }
})

test('other accounts cannot see, change or run a cron', async () => {
  const cron = await addCron(owner)
  const [run] = await runsOf(owner, cron._id)
  const other = await portal.member(await portal.account())
  expect(await other.get(`${crons}?consumerCode=EXPORT`)).toMatchObject({ status: 200, body: [] })
  expect(await other.get(`${schedules}?cronId=${cron._id}`)).toMatchObject({ status: 200, body: [] })
  const calls = [
    other.get(`${crons}/${cron._id}`),
    other.put(`${crons}/${cron._id}`, newCron({ terminated: true })),
    other.post(`${crons}/${cron._id}/pause`, {}),
    other.post(`${crons}/${cron._id}/resume`),
    other.post(`${crons}/${cron._id}/run`),
    other.post(`${crons}/${cron._id}/author`),
    other.post(`${crons}/${cron._id}/skips`, { date: cron.nextRunAt }),
    other.get(`${schedules}/${run?._id}`),
  ]
  for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ status: 404 })
})

test('the crons of an identity that is handed over stop running, before and after its new person accepts', async () => {
  const exporter = await portal.member(owner.account)
  const cron = await addCron(exporter)
  const heir = await portal.member(await portal.account())
  const identity = await findIdentity(owner, exporter.email)
  const draft = { email: heir.email, groups: identity?.groups.map(({ _id }) => _id) }
  const path = `/identity/v1/identities/${identity?._id}`
  expect((await owner.put(path, draft)).status).toBe(200)
  expect((await heir.post(`/identity/v1/profile/invitations/${identity?._id}`)).status).toBe(204)
  expect((await owner.post(`${crons}/${cron._id}/run`)).status).toBe(202)
  await runSchedulerOnce(portal.parts)
  const reason = 'Its author no longer has access to this account. A power user can take the cron over.'
  expect(await runsOf(owner, cron._id)).toContainEqual(
    expect.objectContaining({ status: 'terminated', comment: reason }),
  )
  expect((await owner.post(`${crons}/${cron._id}/author`)).body).toMatchObject({ author: owner.email })
})

test('a run of a suspended account ends without the advice to take its cron over, which would not help', async () => {
  const member = await portal.member(await portal.account())
  const cron = await addCron(member)
  expect((await member.post(`${crons}/${cron._id}/run`)).status).toBe(202)
  const suspend = (isSuspended: boolean) =>
    portal.parts.database.pool.query(
      'UPDATE portico.accounts SET suspended_at = CASE WHEN $2 THEN now() END WHERE id = $1',
      [member.account, isSuspended],
    )
  await suspend(true)
  await runSchedulerOnce(portal.parts)
  await suspend(false)
  expect(await runsOf(member, cron._id)).toContainEqual(
    expect.objectContaining({ status: 'terminated', comment: 'This account is suspended.' }),
  )
})

test('a power user can take over a cron saved by another user', async () => {
  const exporter = await portal.member(owner.account, ...cronRights, exportRight)
  const cron = await addCron(exporter)
  const other = await portal.member(owner.account, ...cronRights, exportRight)
  expect(await other.post(`${crons}/${cron._id}/author`)).toMatchObject({ status: 403 })
  expect((await owner.get(`${crons}/${cron._id}`)).body).toMatchObject({ author: exporter.email, mayTakeOver: true })
  expect((await owner.post(`${crons}/${cron._id}/author`)).body).toMatchObject({
    author: owner.email,
    mayTakeOver: false,
  })
})
