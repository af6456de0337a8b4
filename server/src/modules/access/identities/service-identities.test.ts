import type { Identity } from '@portico/contract/identities'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential, farHours } from '#test/resources/access.ts'
import { findIdentity, groupId, listed, logOf, makeIdentity } from '#test/kit/administration.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/identity/v1/identities'
const offers = '/contact-service/v1/offers'

let portal: TestPortal
let powerUser: Member
let fullAccess: string

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
  fullAccess = await groupId(powerUser, 'Power users')
})
afterAll(() => portal.close())

let lastNumber = 0
const makeService = (more: object = {}): Promise<Identity> =>
  makeIdentity(powerUser, { serviceName: `Service ${++lastNumber}`, groups: [fullAccess], ...more })

async function programOf(identity: Identity): Promise<Client> {
  return portal.asking({ authorization: (await addCredential(portal, identity._id)).authorization })
}

describe('a service identity', () => {
  test('has a name but no person, and works at once with a credential created by a power user', async () => {
    const { _id } = await makeService({ serviceName: 'Nightly sync' })
    expect((await listed<Identity>(powerUser, 'identities')).at(-1)).toMatchObject({
      _id,
      kind: 'service',
      email: 'service:Nightly sync',
      serviceName: 'Nightly sync',
      status: 'active',
      canBeChanged: true,
      lastSignInAt: null,
    })
    const added = await powerUser.put(`${path}/${_id}/addapi/0`, {})
    const [key] = added.json<Identity>().apiCredentials
    expect(key).toMatchObject({ createdBy: powerUser.email })
    const authorization = `Basic ${Buffer.from(`${key?.accessKey}:${key?.secretKey}`).toString('base64')}`
    const program = portal.asking({ authorization })
    expect((await program.get(offers)).status).toBe(200)
    expect((await program.get('/identity/v1/user')).body).toMatchObject({
      email: 'service:Nightly sync',
      userName: 'Nightly sync',
      account: powerUser.account,
    })
    expect((await program.get('/identity/v1/accounts')).body).toMatchObject([{ Key: powerUser.account }])
  })

  test('appears in the audit log under its name', async () => {
    const service = await makeService({ serviceName: 'Importer' })
    const program = await programOf(service)
    const old = await makeIdentity(powerUser, { serviceName: 'Ended by a service', groups: [fullAccess] })
    expect(await program.delete(`${path}/${old._id}`)).toMatchObject({ status: 204 })
    const deleted = { actor: 'service:Importer', action: 'identity deleted' }
    expect(await logOf(portal, old.email)).toContainEqual(expect.objectContaining(deleted))
  })

  test('has groups, hours and networks, and can be disabled and deleted like any identity', async () => {
    const service = await makeService()
    const program = await programOf(service)
    const change = (more: object) =>
      powerUser.put(`${path}/${service._id}`, { serviceName: service.serviceName, groups: [fullAccess], ...more })
    expect((await program.get(offers)).status).toBe(200)
    await change({ hours: farHours(), hoursEffect: 'in' })
    expect(await program.get(offers)).toMatchObject({ status: 401, body: { error: { code: 'outside_limits' } } })
    await change({ cidr: '10.0.0.0/8' })
    expect((await program.get(offers)).status).toBe(401)
    await change({ isDisabled: true })
    expect((await program.get(offers)).status).toBe(401)
    expect(await change({})).toMatchObject({ status: 200, body: { status: 'active' } })
    expect((await program.get(offers)).status).toBe(200)
    expect((await powerUser.delete(`${path}/${service._id}`)).status).toBe(204)
    expect((await program.get(offers)).status).toBe(401)
  })

  test('can be renamed, but not turned into the identity of a person, or vice versa', async () => {
    const service = await makeService()
    const renamed = await powerUser.put(`${path}/${service._id}`, { serviceName: 'Renamed', groups: [fullAccess] })
    expect(renamed).toMatchObject({ status: 200, body: { email: 'service:Renamed' } })
    const asPerson = { email: 'ada@example.com', groups: [fullAccess] }
    expect(fieldProblems(await powerUser.put(`${path}/${service._id}`, asPerson))).toMatchObject([{ field: 'email' }])
    const own = await findIdentity(powerUser, powerUser.email)
    const asService = { serviceName: 'Me', groups: [fullAccess] }
    expect(fieldProblems(await powerUser.put(`${path}/${own?._id}`, asService))).toMatchObject([
      { field: 'serviceName' },
    ])
  })

  test.each([
    [{ serviceName: '' }, 'serviceName'],
    [{ serviceName: 'ada@example.com' }, 'serviceName'],
    [{ serviceName: 'x'.repeat(51) }, 'serviceName'],
    [{ serviceName: 'Two', email: 'ada@example.com' }, 'serviceName'],
    [{}, 'email'],
    [{ serviceName: 'Global', aid: '*' }, 'aid'],
  ])('with %j is refused', async (draft, field) => {
    const answer = await powerUser.post(path, { groups: [fullAccess], ...draft })
    expect(fieldProblems(answer).map((problem) => problem.field)).toContain(field)
  })

  test('has a name that is unique within its account, ignoring case', async () => {
    const { serviceName } = await makeService()
    const again = { serviceName: serviceName?.toUpperCase(), groups: [fullAccess] }
    expect(await powerUser.post(path, again)).toMatchObject({ status: 409, body: { error: { code: 'name_taken' } } })
    const stranger = await portal.member(await portal.account())
    expect((await stranger.post(path, again)).status).toBe(201)
  })

  test('belongs to an account, so power admins cannot create one', async () => {
    const admin = await portal.powerAdmin()
    const answer = await admin.post(path, {
      serviceName: 'Everywhere',
      groups: [await groupId(admin, 'Administrators')],
    })
    expect(fieldProblems(answer)).toMatchObject([{ field: 'serviceName' }])
  })

  test('can be managed by power users of its account only', async () => {
    const service = await makeService()
    const stranger = await portal.member(await portal.account())
    const nobody = await portal.member(powerUser.account, 'contact-service::imports::get')
    expect((await nobody.post(path, { serviceName: 'Mine', groups: [fullAccess] })).status).toBe(403)
    expect((await nobody.put(`${path}/${service._id}/addapi/0`)).status).toBe(403)
    expect((await stranger.put(`${path}/${service._id}/addapi/0`)).status).toBe(404)
    expect((await stranger.delete(`${path}/${service._id}`)).status).toBe(404)
  })

  test('cannot do what requires a person', async () => {
    const service = await makeService()
    const program = await programOf(service)
    expect((await program.get('/identity/v1/profile')).status).toBe(403)
    expect((await program.get('/identity/v1/profile/credentials')).status).toBe(403)
    expect((await program.get('/identity/v1/login/127.0.0.1/3600')).status).toBe(403)
    const dashboard = {
      name: 'Of a service',
      tags: ['event'],
      sharedWith: { paids: 'all', aids: [powerUser.account], users: 'all' },
      definition: '{"layout":[[{"cols":12}]]}',
    }
    const refused = { status: 403, body: { error: { code: 'not_allowed' } } }
    expect(await program.post('/contact-service/v1/dashboards', dashboard)).toMatchObject(refused)
    for (const call of ['invitation', 'sessions']) {
      const url = `${path}/${service._id}/${call}`
      expect((await (call === 'sessions' ? powerUser.delete(url) : powerUser.post(url))).status).toBe(400)
    }
    // It cannot even delete itself.
    expect((await program.delete(`${path}/${service._id}`)).status).toBe(409)
  })

  test('can be explained by its name', async () => {
    const service = await makeService()
    const question = new URLSearchParams({ email: service.email, action: 'contact-service::offers::get' })
    expect(await powerUser.get(`/identity/v1/explain?${question.toString()}`)).toMatchObject({
      status: 200,
      body: { email: service.email, isAllowed: true },
    })
  })
})
