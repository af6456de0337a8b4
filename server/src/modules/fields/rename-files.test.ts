import type { FieldEntry } from '@portico/contract/fields'
import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grant, identityOf, memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { attemptNow, deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { setRowRule } from '#test/resources/row-rules.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// Finished files are judged by the names that fields have now: a new name gives and takes no right to them.

const service = '/contact-service/v1'

let portal: TestPortal
let webhooks: WebhookServer
beforeAll(async () => {
  webhooks = await startWebhookServer()
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
})
afterAll(async () => {
  await portal.close()
  await webhooks.close()
})

const ownerOf = async (): Promise<Member> => {
  const owner = await portal.member(await portal.account())
  const fields = { Name: 'string', Salary: 'number', Home: 'string', Work: 'string' } as const
  await addContacts(portal.parts.database, owner.account, fields, [
    { Name: 'Ada', Salary: 10, Home: 'Bern', Work: 'Lyon' },
    { Name: 'Zed', Salary: 20, Home: 'Lyon', Work: 'Bern' },
  ])
  return owner
}
const rename = async (owner: Member, from: string, to: string): Promise<void> => {
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  const path = `${service}/fields/${fields.find(({ name }) => name === from)?._id}`
  expect(await owner.put(path, { name: to })).toMatchObject({ status: 200 })
}

/** A person who exports and delivers again, and the policy that lets them export. */
async function exporterOf({ account }: Member): Promise<{ by: Member; policy: string }> {
  const by = await memberWith(portal, account, {
    actions: ['contact-service::exports::get', 'contact-service::exports::put'],
  })
  const policy = await grant(portal, await identityOf(portal, by), { actions: ['contact-service::exports::post'] })
  return { by, policy }
}
const setConditions = (policy: string, ...conditions: string[]) =>
  portal.parts.database.pool.query('UPDATE portico.policies SET conditions = $2 WHERE id = $1', [policy, conditions])

type Delivered = { by: Member; id: string; link: URL }

/** An export that was delivered with a link to its file. */
async function delivered(by: Member, exportFields: string[], aggregateQuery?: object[]): Promise<Delivered> {
  const notification = { type: 'http', method: 'post', endpoint: webhooks.url, headers: {}, body: { file: '{{url}}' } }
  const { _id: id } = await exportWith(portal, by, notification as NotificationInput, {
    exportFields,
    ...(aggregateQuery && { aggregateQuery: JSON.stringify(aggregateQuery) }),
  })
  expect(await attemptNow(portal, by, id)).toMatchObject({ status: 'completed' })
  return { by, id, link: new URL((JSON.parse(webhooks.received.at(-1)?.body ?? '') as { file: string }).file) }
}

/** Whether the link to a file works, and whether the file is sent again. */
async function given({ by, id, link }: Delivered): Promise<{ link: number; resent: string }> {
  const { statusCode } = await portal.app.inject({ url: link.pathname + link.search })
  const { _id } = await deliveryOf(by, id)
  expect(await by.post(`${service}/exports/${id}/deliveries/${_id}/resend`)).toMatchObject({ status: 200 })
  const { result } = await attemptNow(portal, by, id)
  return { link: statusCode, resent: String(result) }
}
const allowed = { link: 200, resent: 'Responded with 200 OK.' }
const refused = { link: 403, resent: expect.stringContaining('no longer') }

test('a withdrawn field stays withdrawn from finished exports after a rename, and a permitted one stays permitted', async () => {
  const owner = await ownerOf()
  const [withdrawn, permitted, unfiltered] = [await exporterOf(owner), await exporterOf(owner), await exporterOf(owner)]
  const bySalary = [{ $match: { Salary: { $gt: 1 } } }]
  const files = [
    await delivered(withdrawn.by, ['Name', 'Salary']),
    await delivered(withdrawn.by, ['Name'], bySalary),
    await delivered(permitted.by, ['Name', 'Salary']),
    await delivered(unfiltered.by, ['Name'], bySalary),
    await delivered(unfiltered.by, ['Salary'], [{ $match: { Name: 'Ada' } }]),
  ]
  await setConditions(withdrawn.policy, 'body::exportFields::nin::Salary')
  await setConditions(permitted.policy, 'body::exportFields::in::Name,Salary')
  await setConditions(unfiltered.policy, 'body::aggregateQuery.$match.Salary.$gt::neq::1')
  const before: unknown[] = []
  for (const file of files) before.push(await given(file))
  expect(before).toEqual([refused, allowed, allowed, refused, allowed])
  await rename(owner, 'Salary', 'Compensation')
  const after: unknown[] = []
  for (const file of files) after.push(await given(file))
  expect(after).toEqual(before)
})

test('a file of someone with a row rule is given on after a field of the rule is renamed', async () => {
  const owner = await ownerOf()
  const { by: limited } = await exporterOf(owner)
  await setRowRule(portal, await identityOf(portal, limited), [{ $match: { Home: 'Bern' } }])
  const file = await delivered(limited, ['Name'])
  await rename(owner, 'Home', 'Place of living')
  expect(await given(file)).toEqual(allowed)
  await setRowRule(portal, await identityOf(portal, limited), [{ $match: { Home: 'Bern' } }])
  expect(await given(file)).toEqual(refused)
})

test('files stay hidden from people whose row rule they exceed after two fields have swapped names', async () => {
  const owner = await ownerOf()
  const actions = ['contact-service::offers::get', 'contact-service::exports::get', 'contact-service::downloads::get']
  const limited = await memberWith(portal, owner.account, { actions })
  await setRowRule(portal, await identityOf(portal, limited), [{ $match: { Work: 'Bern' } }])
  const other = await delivered(owner, ['Name'], [{ $match: { Home: 'Bern' } }])
  const own = await delivered(owner, ['Name'], [{ $match: { Work: 'Bern', Name: 'Zed' } }])
  const open = async () =>
    Promise.all(
      [other, own].map(async ({ id }) => (await limited.get(`${service}/downloads/files/export-${id}`)).status),
    )
  expect(await open()).toEqual([403, 200])
  await rename(owner, 'Home', 'Old')
  await rename(owner, 'Work', 'Home')
  await rename(owner, 'Old', 'Work')
  expect(await open()).toEqual([403, 200])
})

test('files of other accounts, and expired ones, keep their names', async () => {
  const [owner, other] = [await ownerOf(), await ownerOf()]
  const [file, expired] = [await delivered(owner, ['Salary']), await delivered(owner, ['Salary'])]
  await delivered(other, ['Salary'])
  const { pool } = portal.parts.database
  const past = new Date(Date.now() - 31 * 86_400_000)
  await pool.query(`UPDATE account_${owner.account}.exports SET last_activity_at = $2 WHERE id = $1`, [
    expired.id,
    past,
  ])
  const namesOf = async ({ account }: Member) => {
    const { rows } = await pool.query<{ id: string; fields: string[] }>(
      `SELECT id, acts_as #> '{request,body,exportFields}' AS fields FROM account_${account}.exports ORDER BY id`,
    )
    return rows.map(({ fields }) => fields.join())
  }
  await rename(owner, 'Salary', 'Pay')
  expect(await namesOf(owner)).toEqual(file.id < expired.id ? ['Pay', 'Salary'] : ['Salary', 'Pay'])
  expect(await namesOf(other)).toEqual(['Salary'])
})
