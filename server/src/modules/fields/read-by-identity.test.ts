import type { FieldDetails, FieldEntry, TypePreview } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { importFile } from '#test/resources/imports.ts'
import { memberToReview, reviewSettings } from '#test/resources/reviews.ts'
import { addSight } from '#test/resources/row-rules.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The right to a field does not extend to contacts that only another identity of the person may work with.

let portal: TestPortal
let owner: Member
/** May do everything with fields, indexes and remote accesses, and read only the contact named Lee. */
let twofold: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  owner = await memberToReview(portal)
  // Shares a first name and a score with another contact.
  await importFile(portal, owner, 'First,Last,Email,Score\nBob,May,d@x,2\n', reviewSettings)
  const actions = ['fields', 'indexes', 'remoteAccess'].map((resource) => `contact-service::${resource}::*`)
  twofold = await memberWith(portal, owner.account, { actions })
  await addSight(portal, twofold, [{ $match: { Last: 'Lee' } }])
})
afterAll(() => portal.close())

const base = '/contact-service/v1'
const fieldNamed = async (name: string): Promise<FieldEntry> => {
  const found = (await owner.get(`${base}/fields/details`)).json<FieldEntry[]>().find((field) => field.name === name)
  if (!found) throw new Error(`there is no field ${name}`)
  return found
}

test('values are counted and shown among the contacts of which a person may read the field', async () => {
  const { _id } = await fieldNamed('Score')
  const path = `${base}/fields/${_id}/details`
  expect((await owner.get(path)).json<FieldDetails>()).toMatchObject({ contacts: 4, filled: 4, distinct: 3 })
  const seen = (await twofold.get(path)).json<FieldDetails>()
  expect(seen).toMatchObject({ contacts: 1, filled: 1, distinct: 1, written: null })
  expect(seen.examples.map(({ value }) => value)).toEqual(['3'])
  const listed = (await twofold.get(`${base}/fields/details`)).json<FieldEntry[]>()
  expect(listed.map(({ name, filled, distinct }) => ({ name, filled, distinct }))).toContainEqual({
    name: 'Score',
    filled: null,
    distinct: null,
  })
})

test('a change of type, whose preview shows values, needs the right to read the field of all contacts', async () => {
  const { _id } = await fieldNamed('Last')
  const preview = (by: Member) => by.get(`${base}/fields/${_id}/type?type=number`)
  expect((await preview(owner)).json<TypePreview>()).toMatchObject({ filled: 4 })
  expect(await preview(twofold)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  const change = { reading: { type: 'number' }, broken: 0 }
  expect(await twofold.post(`${base}/fields/${_id}/type`, change)).toMatchObject({ status: 404 })
})

test('estimates and unique indexes need the right to read their fields of all contacts', async () => {
  const estimate = (by: Member) => by.get(`${base}/indexes/estimate?field=Score`)
  expect(await estimate(owner)).toMatchObject({ status: 200, body: { rows: 4 } })
  expect(await estimate(twofold)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
  const unique = { key: [['Last', 1]], options: { unique: true } }
  expect(await twofold.post(`${base}/indexes`, unique)).toMatchObject({ status: 400 })
})

test('authentication columns are rated by the contacts of which a person may read them', async () => {
  const rate = (by: Member) => by.get(`${base}/remoteAccess/rating?column=First`)
  expect((await rate(owner)).body).toMatchObject({ uniqueShare: 0.5 })
  expect((await rate(twofold)).body).toMatchObject({ uniqueShare: 1 })
})
