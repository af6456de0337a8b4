import { api } from '@portico/contract/api'
import { innerOf } from '@portico/contract/read-text'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { linkOf, memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { refused } from '#test/resources/dashboards.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, newAccess } from '#test/resources/remote-accesses.ts'

// A trial is checked like the save that it tries (ADR 0116).

const calls = Object.entries(api) as [keyof typeof api, Route][]

/** Returns the objects and texts with a form of their own in a body, each with its place. */
function partsOf(schema: z.ZodType, place = ''): { schema: z.ZodType; place: string }[] {
  const inner = innerOf(schema)
  if (inner) return partsOf(inner, place)
  if (schema instanceof z.ZodPipe) return partsOf(schema.out as z.ZodType, place)
  if (schema instanceof z.ZodArray) return partsOf(schema.element as z.ZodType, `${place}[]`)
  const own = { schema, place }
  if (schema instanceof z.ZodUnion)
    return [own, ...(schema.options as z.ZodType[]).flatMap((option) => partsOf(option, place))]
  if (!(schema instanceof z.ZodObject)) return []
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>)
  return [own, ...fields.flatMap(([name, field]) => partsOf(field, `${place}.${name}`))]
}

const saves = calls.flatMap(([, { stores, body }]) => (stores && body ? partsOf(body) : []))

test('each call that accepts a part of what another call stores declares that it tries it', () => {
  const trying = calls.flatMap(([name, { stores, tries, body }]) => {
    if (stores || !body) return []
    const moved = partsOf(body).filter(({ schema, place }) => {
      const places = saves.filter((saved) => saved.schema === schema).map((saved) => saved.place)
      return places.length > 0 && !places.includes(place)
    })
    return moved.length > 0 && !tries ? [name] : []
  })
  expect(trying).toEqual([])
  expect(calls.flatMap(([name, { tries }]) => (tries ? [name] : [])).toSorted()).toEqual([
    'previewCell',
    'testNotification',
    'tryRemoteAccess',
  ])
})

describe('the trial of a remote access', () => {
  let portal: TestPortal
  let owner: Member
  let limited: Member

  beforeAll(async () => {
    portal = await startPortal()
    const account = await portal.account()
    await addContacts(portal.parts.database, account, { Email: 'string', City: 'string', Phone: 'string' }, [
      { Email: 'ada@example.com', City: 'London', Phone: '1' },
    ])
    owner = await portal.member(account)
    limited = await memberWith(portal, account, {
      actions: ['contact-service::remoteAccess::*'],
      conditions: ['body::publicColumns::nct::phone'],
    })
  })
  afterAll(() => portal.close())

  const trialOf = (publicColumns: string, more: object = {}) => ({
    origin: 'https://shop.example.com',
    query: { Email: 'ada@example.com' },
    draft: newAccess({ publicColumns }),
    ...more,
  })

  test.each(['Phone', 'City Phone', '"City" "PHONE"'])(
    'shows no columns that the caller may not save: %s',
    async (columns) => {
      const notAllowed = refused(403, 'not_allowed')
      expect(await limited.post(accessPath, newAccess({ publicColumns: columns }))).toMatchObject(notAllowed)
      expect(await limited.post(`${accessPath}/trial`, trialOf(columns))).toMatchObject(notAllowed)
      expect(await limited.post(`${accessPath}/trial`, trialOf('City'))).toMatchObject({ status: 200 })
    },
  )

  test('is refused for a remote access that the caller may not change', async () => {
    const made = await owner.post(accessPath, newAccess({ publicColumns: 'City' }))
    const { _id: id } = made.json<{ _id: string }>()
    const account = owner.account
    const other = await memberWith(portal, account, {
      actions: ['contact-service::remoteAccess::*'],
      conditions: [`param::0::neq::${id}`],
    })
    expect(await other.post(`${accessPath}/trial`, trialOf('City', { id }))).toMatchObject(refused(403, 'not_allowed'))
    expect(await other.post(`${accessPath}/trial`, trialOf('City'))).toMatchObject({ status: 200 })
  })

  test('is refused to impersonation links if it is not saved', async () => {
    const link = portal.holder(await linkOf(owner, { policies: ['contact-access-create'] }))
    const message = 'Impersonation links cannot try remote accesses that are not saved. Sign in to do this.'
    expect(await link.post(`${accessPath}/trial`, trialOf('Phone'))).toMatchObject(
      refused(403, 'not_allowed', { message }),
    )
  })
})
