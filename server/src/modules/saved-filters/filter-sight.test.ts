import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith, reachSubAccounts } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { addSight } from '#test/resources/row-rules.ts'
import { personIdOf } from '#test/kit/administration.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A person with two identities: one sees all contacts but may not ask for their salary; the other one may, and sees only
// those in Bern. A saved filter that asks for the salary must not show more than its stages do.

const get = 'contact-service::offers::get'
const remove = 'contact-service::offers::delete'
const offers = '/contact-service/v1/offers'
const byName = [
  { Name: 'Ada', City: 'Bern', Salary: 10 },
  { Name: 'Bob', City: 'Lyon', Salary: 20 },
]

let portal: TestPortal
let owner: Member
let person: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  const fields = { Name: 'string', City: 'string', Salary: 'number' } as const
  await addContacts(portal.parts.database, owner.account, fields, byName)
  person = await memberWith(
    portal,
    owner.account,
    { actions: [get], conditions: ['query::find::nct::Salary', 'query::aggregate::nct::Salary'] },
    { actions: [remove], conditions: ['body::filter::nct::Salary'] },
  )
  await addSight(portal, person, [{ $match: { City: 'Bern' } }], [get, remove])
})
afterAll(() => portal.close())

async function save(stages: object[], name: string): Promise<object[]> {
  const answer = await owner.post('/contact-service/v1/rdls', { name, aggregateQuery: JSON.stringify(stages) })
  expect(answer).toMatchObject({ status: 201 })
  return [{ $predefined: answer.json<{ _id: string }>()._id }]
}

test('a search with a saved filter finds, counts and groups the same contacts as with its stages', async () => {
  const stages = [{ $match: { Salary: { $gt: 0 } } }]
  const named = await save(stages, 'Paid')
  const grouped = [{ $group: { _id: '$Name' } }]
  for (const asked of [stages, named]) {
    const find = encodeURIComponent(JSON.stringify(asked))
    expect((await person.get(`${offers}?find=${find}&select=Name`)).body).toMatchObject([{ Name: 'Ada' }])
    expect((await person.get(`${offers}?find=${find}&count=`)).body).toEqual({ count: 1 })
    const aggregate = encodeURIComponent(JSON.stringify([...asked, ...grouped]))
    expect((await person.get(`${offers}?aggregate=${aggregate}`)).body).toEqual([{ _id: 'Ada' }])
  }
})

test('a delete with a saved filter counts and deletes only the contacts that it deletes with its stages', async () => {
  const stages = [{ $match: { Salary: 20 } }]
  for (const filter of [stages, await save(stages, 'Hidden')]) {
    const answer = await person.delete(offers, { filter, deletedRecords: 1 })
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'count_changed', details: { count: 0 } } } })
  }
  expect((await owner.get(`${offers}?count=`)).body).toEqual({ count: 2 })
})

test('errors name nothing of a filter that the parent account does not share with the sub-account', async () => {
  const parent = await portal.member(await portal.account())
  const child = await portal.member(await portal.account(undefined, parent.account))
  await addContacts(portal.parts.database, parent.account, { Email: 'string' }, [{ Email: 'eve@x' }])
  await addContacts(portal.parts.database, child.account, { Email: 'number' }, [{ Email: 1 }])
  const keep = async (name: string, stages: object[], showInSubaccounts: boolean, by = parent): Promise<string> => {
    const draft = { name, aggregateQuery: JSON.stringify(stages), showInSubaccounts }
    return (await by.post('/contact-service/v1/rdls', draft)).json<{ _id: string }>()._id
  }
  const hidden = await keep('Private', [{ $match: { Email: { $in: ['secret@x'] } } }], false)
  const shown = await keep('Shown', [{ $predefined: hidden }], true)
  const named = encodeURIComponent(JSON.stringify([{ $predefined: shown }]))
  const answers = [
    await child.get(`${offers}?find=${named}`),
    await child.get(`${offers}?aggregate=${named}`),
    await child.get(`/contact-service/v1/segments/${shown}/count`),
    await child.delete(offers, { filter: [{ $predefined: shown }], deletedRecords: 1 }),
  ]
  const message = 'The saved filter "Shown" does not fit the fields of this account.'
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_filter', message } } })
  // Neither after stages that make a field another one, or take it away.
  const same = await portal.member(await portal.account(undefined, parent.account))
  await addContacts(portal.parts.database, same.account, { Email: 'string', Age: 'number' }, [
    { Email: 'eve@x', Age: 1 },
  ])
  const after = (first: object) =>
    same.get(`${offers}?aggregate=${encodeURIComponent(JSON.stringify([first, { $predefined: shown }]))}`)
  const late = 'The saved filter "Shown" can be used only before stages that compute fields or choose rows otherwise.'
  for (const first of [{ $addFields: { Email: '$Age' } }, { $project: { Age: 1 } }, { $limit: 1 }]) {
    expect(await after(first)).toMatchObject({ status: 400, body: { error: { message: late } } })
  }
  expect((await after({ $match: { Age: 1 } })).status).toBe(200)
  // The one who saved the hidden part may not search here.
  const wide = await portal.member(parent.account)
  await reachSubAccounts(portal, wide)
  const aggregateQuery = JSON.stringify([{ $predefined: await keep('Wide', [{ $predefined: hidden }], true, wide) }])
  const refused = await same.post(exportsPath, exportDraft(['Email'], { aggregateQuery }))
  const unnamed = expect.stringMatching(/^A filter of the parent account that is not shown here cannot be used here\. /)
  expect(refused).toMatchObject({ status: 403, body: { error: { message: unnamed } } })
  // Nor does an error name the one who saved it, who has lost their rights.
  await portal.parts.database.pool.query('UPDATE portico.identities SET is_disabled = true WHERE person_id = $1', [
    await personIdOf(portal, wide),
  ])
  const ended = await same.post(exportsPath, exportDraft(['Email'], { aggregateQuery }))
  const lost = 'The identity that saved it has no right to that here. It has to be saved again in the parent account.'
  const unusable = `The saved filter "Wide" cannot be used here. ${lost}`
  expect(ended).toMatchObject({ status: 403, body: { error: { message: unusable } } })
  // Where it fits, it is used.
  expect((await parent.get(`${offers}?find=${named}&count=`)).body).toEqual({ count: 0 })
})
