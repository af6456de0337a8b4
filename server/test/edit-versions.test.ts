import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import type { NewerVersion } from '@portico/contract/versions'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeGroup, makeIdentity, makePolicy } from '#test/kit/administration.ts'
import { addCron, crons, newCron } from '#test/resources/crons.ts'
import { anEditedField } from '#test/resources/edited-field.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, memberWithContacts, newAccess } from '#test/resources/remote-accesses.ts'
import { type CallName, replacing, replacingPosts, unversioned } from '#test/kit/replacing-calls.ts'

// A save over a newer version is refused in every call that replaces something that a form has shown.

let portal: TestPortal
let ann: Member
let ben: Member
let amy: Member
let bob: Member

beforeAll(async () => {
  portal = await startPortal()
  ann = await memberWithContacts(portal)
  ben = await portal.member(ann.account)
  amy = await portal.powerAdmin()
  bob = await portal.powerAdmin()
})
afterAll(() => portal.close())

/** An item that two people have open at the same time. */
type Item = {
  one: Member
  other: Member
  read: () => Promise<Answer>
  /** Saves the item over this version, with a new value derived from `text`. */
  save: (by: Member, text: string, version: number | undefined) => Promise<Answer>
  /** The part of the refusal that describes the changes of a save. */
  told: { fields: string[] } | { changes: string }
}

/** Returns properties of a body, without the version if there is none. */
const over = (body: object, version: number | undefined): object =>
  version === undefined ? body : { ...body, version }

async function anItemAt(
  [one, other]: [Member, Member],
  path: string,
  fields: string[],
  bodyOf: (text: string) => object,
): Promise<Item> {
  const save: Item['save'] = (by, text, version) => by.put(path, over(bodyOf(text), version))
  return { one, other, read: () => one.get(path), save, told: { fields } }
}

const policy = { actions: ['contact-service::offers::get'] }

const items: Partial<Record<CallName, () => Promise<Item>>> = {
  updatePolicy: async () => {
    const { _id } = await makePolicy(amy, 'A versioned policy')
    return anItemAt([amy, bob], `/identity/v1/policies/${_id}`, ['name'], (text) => ({ name: text, ...policy }))
  },
  updateGroup: async () => {
    const policies = [await makePolicy(amy, 'Of a versioned group')]
    const { _id } = await makeGroup(amy, 'A versioned group', policies)
    const body = { policies: policies.map((one) => one._id) }
    return anItemAt([amy, bob], `/identity/v1/groups/${_id}`, ['name'], (text) => ({ name: text, ...body }))
  },
  updateIdentity: async () => {
    const groups = [(await makeGroup(amy, 'Of an identity', [await makePolicy(amy, 'Of an identity')]))._id]
    const { _id } = await makeIdentity(ann, { email: 'versioned@example.com', groups })
    const email = 'versioned@example.com'
    const path = `/identity/v1/identities/${_id}`
    return anItemAt([ann, ben], path, ['userName'], (text) => ({ email, groups, userName: text }))
  },
  updateAccount: async () => {
    const path = `/identity/v1/accounts/${await portal.account('A versioned account')}`
    return anItemAt([amy, bob], path, ['name'], (text) => ({ name: text }))
  },
  updateSavedFilter: async () => {
    const body = { aggregateQuery: '[]' }
    const saved = await ann.post('/contact-service/v1/rdls', { name: 'A versioned filter', ...body })
    const path = `/contact-service/v1/rdls/${saved.json<{ _id: string }>()._id}`
    return anItemAt([ann, ben], path, ['name'], (text) => ({ name: text, ...body }))
  },
  updateField: () => anEditedField(portal, ann, ben),
  updateRemoteAccess: async () => {
    const access = await ann.post(accessPath, newAccess())
    const path = `${accessPath}/${access.json<{ _id: string }>()._id}`
    return anItemAt([ann, ben], path, ['domainOrIp'], (text) =>
      newAccess({ domainOrIp: `${text.replaceAll(/\W/g, '-').toLowerCase()}.example.com` }),
    )
  },
  updateCron: async () => {
    const { _id, cronStart } = await addCron(ann)
    return anItemAt([ann, ben], `${crons}/${_id}`, ['name'], (text) => newCron({ name: text, cronStart }))
  },
  updateDashboard: async () => {
    const body = {
      tags: ['event'],
      sharedWith: { paids: 'all', aids: [ann.account], users: 'all' },
      definition: '{"layout":[[{"cols":12}]]}',
    }
    const made = await ann.post('/contact-service/v1/dashboards', { name: 'A versioned dashboard', ...body })
    const path = `/contact-service/v1/dashboards/${made.json<{ _id: string }>()._id}`
    // Only its author saves it, in two tabs.
    const item = await anItemAt([ann, ann], path, [], (text) => ({ name: text, ...body }))
    return { ...item, told: { changes: 'Renamed to "Of the other". Added an empty cell. Removed an empty cell.' } }
  },
  setImportDefaults: () =>
    anItemAt([ann, ben], '/contact-service/v1/configuration', ['purlColumns'], (text) => ({
      purlColumns: [text],
      dedupColumns: [],
      notificationEmails: [],
    })),
  updateContactAccount: () =>
    anItemAt([ann, ben], `/contact-service/v1/accounts/${ann.account}`, ['purlColumns'], (text) => ({
      purlColumns: [text],
      dedupColumns: [],
      notificationEmails: [],
    })),
  setExportSettings: () =>
    anItemAt([ann, ben], '/contact-service/v1/configuration/exports', ['guardFormulas'], (text) => ({
      guardFormulas: !isOn(text),
    })),
  setFilterSettings: () =>
    anItemAt([ann, ben], '/contact-service/v1/configuration/filters', ['onlyIndexedFields'], (text) => ({
      onlyIndexedFields: isOn(text),
    })),
  updateProfile: () => anItemAt([ann, ann], '/identity/v1/profile', ['userName'], (text) => ({ userName: text })),
  putPhoto: async () => {
    const create = { width: 8, height: 8, channels: 3, background: '#080' } as const
    const image = await sharp({ create }).jpeg().toBuffer()
    const { token } = ann
    const sender = portal.asking({ authorization: `Bearer ${token}`, 'content-type': 'image/jpeg' })
    const query = (version: number | undefined): string => (version === undefined ? '' : `?version=${version}`)
    return {
      one: ann,
      other: ann,
      read: () => ann.get('/identity/v1/profile'),
      save: (_by, _text, version) => sender.put(`/identity/v1/profile/photo${query(version)}`, image),
      told: { fields: ['photoURL'] },
    }
  },
  setAccountPreference: async () => ({
    one: ann,
    other: ben,
    read: () => ann.get('/account/v1/AccountPreference'),
    save: (by, text, version) => {
      const preference = over({ menus: { home: [], crm: [`${text.length}@example.com`] }, timeout: 30 }, version)
      const body = { AccountID: by.account, IdentityToken: by.token, Preference: JSON.stringify(preference) }
      return by.post('/account/v1/SetAccountPreference', body)
    },
    told: { fields: ['menus'] },
  }),
}

/** The length of the text decides how a switch is saved: first the opposite of its state in a new account. */
const isOn = (text: string): boolean => text.length % 2 === 0

const versionIn = (answer: Answer): number => answer.json<{ version: number }>().version
const detailsOf = (answer: Answer): NewerVersion => answer.json<{ error: { details: NewerVersion } }>().error.details

test('the calls without a version are PUT calls, and accept none', () => {
  for (const name of Object.keys(unversioned) as CallName[]) {
    expect(api[name]).toMatchObject({ method: 'PUT' })
    expect(declaresVersion(api[name])).toBe(false)
  }
})

const declaresVersion = ({ body, query }: Route): boolean =>
  [body, query].some((schema) => schema instanceof z.ZodObject && 'version' in schema.shape)

describe.each(replacing)('%s', (name, route) => {
  test('declares the version and the error for an older one', () => {
    // The preferences are JSON inside a text.
    expect(declaresVersion(route)).toBe(!replacingPosts.includes(name))
    expect(route.errors).toContain('newer_version')
    expect(items).toHaveProperty(name)
  })

  test('saves over the version that was read, and refuses an older one without changes', async () => {
    const { one, other, read, save, told } = await makeItem(name)
    const opened = versionIn(await read())
    expect(await save(other, 'Of the other', opened)).toMatchObject({ status: 200 })
    const now = await read()
    expect(versionIn(now)).toBe(opened + 1)
    const refused = await save(one, 'Of the first one', opened)
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'newer_version' } } })
    const { version, savedBy, savedAt, changes } = detailsOf(refused)
    expect({ version, savedBy }).toEqual({ version: opened + 1, savedBy: other.email })
    expect(Math.abs(Date.now() - Date.parse(savedAt))).toBeLessThan(60_000)
    expect(changes).toHaveLength(1)
    expect(changes[0]).toMatchObject({ version, savedBy, savedAt, ...told })
    expect((await read()).body).toEqual(now.body)
    expect(await save(one, 'Of the first one', version)).toMatchObject({ status: 200 })
  })

  test('saves the last change without a version, and counts it', async () => {
    const { one, other, read, save } = await makeItem(name)
    const opened = versionIn(await read())
    for (const [by, text] of [
      [one, 'Of a program'],
      [other, 'Of another program'],
    ] as const) {
      expect(await save(by, text, undefined)).toMatchObject({ status: 200 })
    }
    expect(versionIn(await read())).toBe(opened + 2)
    expect(await save(one, 'Of the first one', opened)).toMatchObject({ status: 409 })
  })

  // Photos of one person are converted one at a time.
  test.skipIf(name === 'putPhoto')('lets exactly one of two simultaneous saves succeed', async () => {
    const { one, other, read, save } = await makeItem(name)
    for (let round = 0; round < 5; round++) {
      const opened = versionIn(await read())
      const texts = [`Of the first ${round}`, `Of the second one ${round}`]
      const both = await Promise.all([save(one, texts[0] ?? '', opened), save(other, texts[1] ?? '', opened)])
      expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]))
      expect(versionIn(await read())).toBe(opened + 1)
    }
  })

  test.each([0, -1, 1.5, 'x', 2_147_483_648])('refuses the version %j', async (version) => {
    const { one, save } = await makeItem(name)
    // Older clients of the preferences get their problems in the result.
    const wanted = replacingPosts.includes(name)
      ? { status: 200, body: { Result: { ErrorCode: 'InvalidPreference' } } }
      : { status: 400, body: { error: { code: 'invalid_input', details: [{ field: 'version' }] } } }
    expect(await save(one, 'A wrong version', version as number)).toMatchObject(wanted)
  })
})

async function makeItem(name: CallName): Promise<Item> {
  const make = items[name]
  if (!make) throw new Error(`nothing is known of ${name}`)
  return (made[name] ??= make())
}

const made: Partial<Record<CallName, Promise<Item>>> = {}

describe('an item that a form opens', () => {
  test.each([
    ['policies', 'updatePolicy'],
    ['groups', 'updateGroup'],
    ['identities', 'updateIdentity'],
  ] as const)('of %s is returned by id as listed, only to callers who may list it', async (resource, name) => {
    const { one, read } = await makeItem(name)
    const item = (await read()).json<{ _id: string }>()
    const list = (await one.get(`/identity/v1/${resource}`)).json<{ _id: string }[]>()
    expect(list).toContainEqual(item)
    const path = `/identity/v1/${resource}/${item._id}`
    const plain = await portal.member(ann.account, 'contact-service::offers::get')
    expect(await plain.get(path)).toMatchObject({ status: 403 })
    expect(await one.get(`/identity/v1/${resource}/x`)).toMatchObject({ status: 404 })
  })

  test('returns 404 for an item of another account', async () => {
    const stranger = await portal.member(await portal.account())
    for (const [path, name] of [
      ['/identity/v1/identities', 'updateIdentity'],
      [accessPath, 'updateRemoteAccess'],
    ] as const) {
      const { read } = await makeItem(name)
      const { _id } = (await read()).json<{ _id: string }>()
      expect(await stranger.get(`${path}/${_id}`)).toMatchObject({ status: 404 })
    }
  })

  test('is readable only by power admins if it is an account', async () => {
    const { read } = await makeItem('updateAccount')
    const account = (await read()).json<{ Key: number }>()
    expect((await bob.get('/identity/v1/accounts/details')).json<object[]>()).toContainEqual(account)
    expect(await ann.get(`/identity/v1/accounts/${account.Key}`)).toMatchObject({ status: 403 })
    expect(await bob.get('/identity/v1/accounts/2000000000')).toMatchObject({ status: 404 })
  })
})

describe('the refusal for an item with many saves', () => {
  test('lists the last ten, newest first', async () => {
    const { one, read, save } = await makeItem('updatePolicy')
    const opened = versionIn(await read())
    for (let count = 1; count <= 12; count++) await save(one, `Save number ${count}`, undefined)
    const { changes } = detailsOf(await save(one, 'Too late', opened))
    const last = opened + 12
    expect(changes.map(({ version }) => version)).toEqual(Array.from({ length: 10 }, (_, at) => last - at))
  })
})

test('two forms of one account do not conflict', async () => {
  const account = `/identity/v1/accounts/${ann.account}`
  const before = versionIn(await amy.get(account))
  const { save } = await makeItem('setAccountPreference')
  expect(await save(ann, 'something else', undefined)).toMatchObject({ status: 200 })
  expect(versionIn(await amy.get(account))).toBe(before)
})

describe('a cron', () => {
  test('that has changed is not terminated over an older version', async () => {
    const { _id, version: opened, name, cronStart } = await addCron(ann)
    const draft = newCron({ name, cronStart })
    expect(await ben.put(`${crons}/${_id}`, { ...draft, notificationEmails: 'eve@example.com' })).toMatchObject({
      status: 200,
    })
    const end = (version: number): Promise<Answer> =>
      ann.put(`${crons}/${_id}`, { ...draft, terminated: true, version })
    expect(await end(opened)).toMatchObject({ status: 409 })
    expect((await ann.get(`${crons}/${_id}`)).body).toMatchObject({ terminated: false, version: opened + 1 })
    expect(await end(opened + 1)).toMatchObject({ status: 200, body: { terminated: true } })
  })

  test('that was taken over is not taken back by an open form, nor taken over in an older version', async () => {
    const { _id, version: opened, name, cronStart } = await addCron(ben)
    const draft = newCron({ name, cronStart })
    const path = `${crons}/${_id}/author`
    await ben.put(`${crons}/${_id}`, { ...draft, notificationEmails: 'eve@example.com' })
    expect(detailsOf(await ann.post(path, { version: opened }))).toMatchObject({ version: opened + 1 })
    expect((await ann.get(`${crons}/${_id}`)).body).toMatchObject({ author: ben.email })
    expect(await ann.post(path, { version: opened + 1 })).toMatchObject({
      status: 200,
      body: { author: ann.email, version: opened + 2 },
    })
    const refused = await ben.put(`${crons}/${_id}`, { ...draft, version: opened + 1 })
    expect(refused).toMatchObject({ status: 409 })
    expect(detailsOf(refused)).toMatchObject({ savedBy: ann.email, changes: [{ fields: ['author'] }] })
    expect((await ann.get(`${crons}/${_id}`)).body).toMatchObject({ author: ann.email })
  })

  test('lists the changed parts of its instruction', async () => {
    const { _id, version, name, cronStart } = await addCron(ann)
    const instruction = { name: 'Another export', delimiter: 'tab', exportFields: ['_id'] }
    await ben.put(`${crons}/${_id}`, newCron({ name, cronStart, instruction }))
    const { changes } = detailsOf(await ann.put(`${crons}/${_id}`, newCron({ name, cronStart, version })))
    expect(changes[0]?.fields.toSorted()).toEqual(['instruction.delimiter', 'instruction.name'])
  })
})
