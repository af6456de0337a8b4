import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { grant, identityOf, memberWith } from '#test/resources/access.ts'
import {
  askMerge,
  changesOfContact,
  differing,
  editField,
  memberWithTwins,
  readContact,
} from '#test/resources/merges.ts'
import { setRowRule } from '#test/resources/row-rules.ts'

// A person with two identities changes a contact only with the rights of an identity that sees it.

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const offers = (method: string): string => `contact-service::offers::${method}`

/**
 * One identity sees the contacts of Bern, Rome and Basel and may not change their city; the other one, of the parent
 * account, sees those of Oslo and may change everything.
 */
async function personOfTwo(owner: Member): Promise<Member> {
  const person = await memberWith(
    portal,
    owner.account,
    { actions: [offers('get'), offers('delete')] },
    { actions: [offers('put')], conditions: ['body::changes::nct::City'] },
  )
  const first = await identityOf(portal, person)
  await setRowRule(portal, first, [{ $match: { City: { $in: ['Bern', 'Rome', 'Basel'] } } }])
  const parent = await portal.account()
  const { pool } = portal.parts.database
  await pool.query('UPDATE portico.accounts SET parent_id = $2 WHERE id = $1', [owner.account, parent])
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO portico.identities
       (id, person_id, account_id, access_to_all_sub_accounts, is_disabled, days, hours, accepted_at)
     SELECT gen_random_uuid(), person_id, $2, true, false, '{}', '{}', now() FROM portico.identities WHERE id = $1
     RETURNING id`,
    [first, parent],
  )
  const second = rows[0]?.id ?? ''
  await grant(portal, second, { actions: [offers('get'), offers('put')] })
  await setRowRule(portal, second, [{ $match: { City: 'Oslo' } }])
  return person
}

test('a merge takes no value that the identity which sees the contact may not change', async () => {
  const { member: owner, a, b } = await memberWithTwins(portal)
  const person = await personOfTwo(owner)
  const before = await readContact(owner, a)
  expect(await editField(person, a, 'City', 'Bern', 'Rome')).toMatchObject({ status: 404 })
  const merge = await askMerge(person, a, b, { ...differing, City: ['Bern', 'Rome', 'other'] })
  expect(merge).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
  expect(await readContact(owner, a)).toEqual(before)
})

test('a change is not undone with the rights of an identity that does not see the contact', async () => {
  const { member: owner, a } = await memberWithTwins(portal)
  const person = await personOfTwo(owner)
  await editField(owner, a, 'City', 'Bern', 'Basel')
  const [change] = await changesOfContact(person, a)
  const undo = await person.post(`/contact-service/v1/offers/${a}/changes/${change?._id}/undo`, {})
  expect(undo).toMatchObject({ status: 404 })
  expect(await readContact(owner, a)).toMatchObject({ City: 'Basel' })
})
