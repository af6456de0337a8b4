import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { grant, identityOf, memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, makeDue, schedules } from '#test/resources/crons.ts'
import { deliveryDeps, makeAttempt } from '#test/resources/deliveries.ts'
import { dashboardOf, dueAt, endOfFirstRun, instructionFor, reportCron, uploadTo } from '#test/resources/reports.ts'
import { setRowRule } from '#test/resources/row-rules.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Files of crons are judged by the calls that saved the cron and that read their cells, with the names fields have now.

const service = '/contact-service/v1'

let portal: TestPortal
let mail: MailServer
beforeAll(async () => {
  mail = await startMailServer()
  portal = await startPortal({
    smtpUrl: mail.url,
    outboundAllow: ['127.0.0.1'],
    mailSenderDomains: ['example.com'],
  })
  await portal.startWorker()
})
afterAll(async () => {
  await portal.close()
  await mail.close()
})

const ownerOf = async (): Promise<Member> => {
  const owner = await portal.member(await portal.account())
  const fields = { Name: 'string', Salary: 'number', City: 'string' } as const
  await addContacts(portal.parts.database, owner.account, fields, [{ Name: 'Ada', Salary: 10, City: 'Bern' }])
  return owner
}
const rename = async (owner: Member, from: string, to: string): Promise<void> => {
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  const path = `${service}/fields/${fields.find(({ name }) => name === from)?._id}`
  expect(await owner.put(path, { name: to })).toMatchObject({ status: 200 })
}
const setConditions = (policy: string, ...conditions: string[]) =>
  portal.parts.database.pool.query('UPDATE portico.policies SET conditions = $2 WHERE id = $1', [policy, conditions])

/** No server listens there, so each attempt fails, but only after the right to send the file is judged. */
const nowhere = uploadTo({ port: 65_001 } as Parameters<typeof uploadTo>[0])

/** The delivery of the first run of a cron, after its first attempt. */
async function deliveryOfRun(by: Member, cron: string): Promise<string> {
  await makeDue(portal, cron, dueAt)
  const { _id } = await endOfFirstRun(by, cron)
  const delivery = async () => (await by.get(`${schedules}/${_id}`)).json<ScheduleDetails>().deliveries[0]
  await expect.poll(async () => (await delivery())?.status, { timeout: 30_000 }).toBe('recovery')
  return (await delivery())?._id ?? ''
}

/** Whether the next attempt at a delivery is refused, or tries to send the file. */
async function nextOutcome(by: Member, delivery: string): Promise<'refused' | 'tried'> {
  const { pool } = portal.parts.database
  const table = `account_${by.account}.deliveries`
  // An attempt that was refused is final.
  await pool.query(
    `UPDATE ${table} SET status = 'recovery', recovery_count = 1, next_attempt_at = now() WHERE id = $1`,
    [delivery],
  )
  await makeAttempt(portal, by, delivery, deliveryDeps(portal))
  const { rows } = await pool.query<{ result: string }>(`SELECT result FROM ${table} WHERE id = $1`, [delivery])
  const result = rows[0]?.result ?? ''
  if (result === '') throw new Error('there was no attempt')
  return result.includes('no longer') ? 'refused' : 'tried'
}

test('a report is not sent again with a withdrawn field under its new name, and is sent again with a permitted one', async () => {
  const owner = await ownerOf()
  const salaries = {
    type: 'PaginaTable',
    title: 'Salaries',
    filter: { standard: [{ $match: { Salary: { $gt: 1 } } }], columns: ['Name', 'Salary'], sort: { Salary: 1 } },
  }
  const others = ['scheduler::*::*', 'bi::dashboards::*', 'contact-service::fields::get', 'contact-service::rdls::get']
  const outcomes: unknown[] = []
  const runs: { by: Member; delivery: string }[] = []
  for (const conditions of [['query::select::nin::Salary'], ['query::select::in::Name,Salary']]) {
    const by = await memberWith(portal, owner.account, { actions: others })
    const identity = await identityOf(portal, by)
    const policy = await grant(portal, identity, { actions: ['contact-service::offers::get'] })
    await setRowRule(portal, identity, [{ $match: { City: 'Bern' } }])
    const dashboard = await dashboardOf(by, salaries)
    const cron = await addCron(by, reportCron(instructionFor(dashboard), nowhere))
    const delivery = await deliveryOfRun(by, cron._id)
    await setConditions(policy, ...conditions)
    outcomes.push(await nextOutcome(by, delivery))
    runs.push({ by, delivery })
  }
  expect(outcomes).toEqual(['refused', 'tried'])
  await rename(owner, 'Salary', 'Compensation')
  await rename(owner, 'City', 'Town')
  const after: unknown[] = []
  for (const { by, delivery } of runs) after.push(await nextOutcome(by, delivery))
  expect(after).toEqual(['refused', 'tried'])
})

test('the file of a scheduled export is judged by the call that saved its cron, with the new name', async () => {
  const owner = await ownerOf()
  const by = await memberWith(portal, owner.account, {
    actions: ['scheduler::*::get', 'contact-service::exports::*', 'contact-service::fields::get'],
  })
  const policy = await grant(portal, await identityOf(portal, by), { actions: ['scheduler::crons::post'] })
  const notification = {
    type: 'http',
    method: 'post',
    endpoint: 'http://127.0.0.1:65001/hook',
    headers: {},
    body: { file: '{{url}}' },
  }
  const instruction = {
    name: 'Salaries',
    delimiter: 'csv',
    exportFields: ['Name', 'Salary'],
    aggregateQuery: JSON.stringify([{ $match: { Salary: { $gt: 1 } } }]),
    notifications: [notification],
  }
  const cron = await addCron(by, { cron: '0 0 1 1 *', instruction })
  const delivery = await deliveryOfRun(by, cron._id)
  await setConditions(policy, 'body::instruction.exportFields::in::Name,Salary')
  expect(await nextOutcome(by, delivery)).toBe('tried')
  await rename(owner, 'Salary', 'Compensation')
  expect(await nextOutcome(by, delivery)).toBe('tried')
  await setConditions(policy, 'body::instruction.exportFields::nin::Compensation')
  expect(await nextOutcome(by, delivery)).toBe('refused')
  const { rows } = await portal.parts.database.pool.query<{ texts: string }>(
    `SELECT concat(filter, acts_as) AS texts FROM account_${by.account}.exports`,
  )
  expect(rows).toEqual([{ texts: expect.not.stringContaining('Salary') }])
})
