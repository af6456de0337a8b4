import { accountLimits, type LimitedThing, limitInWords } from '@portico/contract/account-limits'
import { api } from '@portico/contract/api'
import type { Policy } from '@portico/contract/policies'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { groupId, makeCallersByLevel, makePolicy } from '#test/kit/administration.ts'
import { newCron } from '#test/resources/crons.ts'
import { exportDraft } from '#test/resources/exports.ts'
import { anImport, upload } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Everything that users can create without end has a limit, or a reason why a large number does no harm.

type Call = keyof typeof api
const limited = new Set<string>(Object.values(accountLimits).flatMap(({ calls }) => calls))

/** Calls that create nothing that is read as a whole, by reason. */
const unlimited: Record<string, Call[]> = {
  'signs in or out, or reads the link of an email; failed attempts are counted, and sessions end': [
    'login',
    'signInWithPasskey',
    'logout',
    'chooseAccount',
    'readInvitation',
    'register',
    'forgotPassword',
    'readPasswordReset',
    'resetPassword',
    'givePassword',
    'readSenderLink',
    'confirmSender',
  ],
  'changes or replaces what is there': [
    'changePassword',
    'updateProfile',
    'renamePasskey',
    'putPhoto',
    'setUpTwoFactor',
    'confirmTwoFactor',
    'renewRecoveryCodes',
    'acceptInvitation',
    'inviteIdentity',
    'updatePolicy',
    'updateGroup',
    'updateIdentity',
    'setPersonState',
    'removePerson',
    'handOver',
    'setAccountPreference',
    'updateAccount',
    'setImportDefaults',
    'setFilterSettings',
    'setExportSettings',
    'cancelImport',
    'cancelExport',
    'updateSavedFilter',
    'takeOverDashboard',
    'updateCron',
    'pauseCron',
    'resumeCron',
    'takeOverCron',
    'updateRemoteAccess',
    'updateField',
    'editOffer',
    'undoContactChange',
    'mergeOffer',
    'undoImport',
    'restoreDelete',
    'createContactAccount',
    'updateContactAccount',
  ],
  'makes a job, while no other one of its account is unended, and only while no contact has a key': [
    'computeDedupKeys',
  ],
  'is one of ten at most that a person has': ['addPasskey'],
  'makes a contact, of which lists show pages': ['addOffer'],
  'keeps a number of versions, and removes the oldest': ['updateDashboard', 'restoreDashboardVersion'],
  'has one row for a person and a dashboard or segment': ['setFavouriteDashboard', 'setFavouriteSegment'],
  'makes a run, of which lists show pages: one waits for a cron, and 100 of past due times; a due time is skipped once':
    ['runCronNow', 'skipRun', 'backfillCron'],
  'makes an attempt of a delivery that has ended': ['resendDelivery', 'resendScheduleDelivery'],
  'has one row for a field, which goes with its earlier column': ['changeFieldType'],
  'takes the place of the same person’s earlier one, and is kept for an hour': ['createImportReview'],
  'stores nothing': [
    'beginPasskeySignIn',
    'beginPasskey',
    'previewImport',
    'answerCell',
    'previewCell',
    'testNotification',
    'testCron',
    'testCronChange',
    'tryRemoteAccess',
    'previewPolicyEffects',
    'previewHandOver',
  ],
  'fills the storage of the account, which has a quota': ['putFile', 'exportAudit'],
  'is made by power admins only, who run the portal': ['createAccount'],
  'records events of strangers, with the fields that the account has': ['recordPublicEvents'],
}

describe('each call that may create something', () => {
  const calls = (Object.entries(api) as [Call, Route][]).filter(
    ([, { method, stores }]) => method === 'POST' || method === 'PUT' || (method === 'GET' && stores !== undefined),
  )
  const explained = new Set<string>(Object.values(unlimited).flat())

  test('has either a limit or a reason for none', () => {
    const names = calls.map(([name]) => name as string)
    expect(names.filter((name) => limited.has(name) === explained.has(name))).toEqual([])
    expect([...limited, ...explained].filter((name) => !names.includes(name))).toEqual([])
  })
})

/** One field for each index. */
const fields = {
  Name: 'string',
  'The first': 'string',
  'At once one': 'string',
  'At once two': 'string',
  'At once three': 'string',
  'One too many': 'string',
} as const

let portal: TestPortal
let member: Member
let admin: Member
let policy: Policy
let powerUsers: string

beforeAll(async () => {
  portal = await startPortal()
  ;({ admin } = await makeCallersByLevel(portal))
  member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, fields, [{ Name: 'Ada' }])
  policy = await makePolicy(admin, 'The first of all policies')
  powerUsers = await groupId(member, 'Power users')
  await upload(portal, member, 'contacts.csv', 'Name\nAda\n')
})
afterAll(() => portal.close())

/** Copies a row of a table until there are `count`; `own` sets columns of the copy `n`, in SQL. */
async function fill(table: string, where: string, count: number, own: Record<string, string>): Promise<void> {
  const parts = Object.entries(own).map(([column, value]) => `'${column}', ${value}`)
  await portal.parts.database.pool.query(
    `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
     SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(r) || jsonb_build_object(${parts.join(', ')}))).*
     FROM (SELECT * FROM ${table} WHERE ${where} LIMIT 1) r,
       generate_series((SELECT count(*)::integer + 1 FROM ${table} WHERE ${where}), $1::integer) n`,
    [count],
  )
}
const uuid = { id: 'gen_random_uuid()' }
const number = { id: '1000000 + n' }
const name = { name: `'copy ' || n`, name_key: `'copy ' || n` }
const ofAccount = (): string => `account_id = ${member.account}`
const tableOf = (table: string): string => `account_${member.account}.${table}`

type Limited = {
  create: (name: string) => Promise<Answer>
  fill: (count: number) => Promise<void>
  isGlobal?: true
}

/** The others have separate tests, which cover more: event-field-limit, remote-accesses, dashboards, credentials. */
type TestedElsewhere = 'contactFields' | 'eventFields' | 'remoteAccesses' | 'dashboards' | 'credentials'
type Tested = Exclude<LimitedThing, TestedElsewhere>

const things: Record<Tested, Limited> = {
  savedFilters: {
    create: (of) =>
      member.post('/contact-service/v1/rdls', { name: of, aggregateQuery: '[{"$match":{"Name":"Ada"}}]' }),
    fill: (count) => fill('portico.saved_filters', ofAccount(), count, { ...uuid, ...name }),
  },
  crons: {
    create: (of) => member.post('/scheduler/v1/crons', newCron({ name: of })),
    fill: (count) => fill('portico.crons', ofAccount(), count, { ...uuid, ...name }),
  },
  customIndexes: {
    create: (of) => member.post('/contact-service/v1/indexes', { key: [[of, 1]] }),
    async fill(count) {
      await fill(tableOf('fields'), 'true', 1000 + count, { ...number, ...name })
      await fill(tableOf('indexes'), `kind = 'field'`, count, { ...number, ...name, field_1: '1000100 + n' })
    },
  },
  unendedImports: {
    create: (of) => member.post('/contact-service/v1/imports', anImport({ name: of })),
    fill: (count) => fill(tableOf('imports'), 'true', count, { ...number, ...name }),
  },
  unendedExports: {
    create: (of) => member.post('/contact-service/v1/exports', exportDraft(['Name'], { name: of })),
    fill: (count) => fill(tableOf('exports'), 'true', count, { ...number, ...name }),
  },
  openUploads: {
    create: (of) => member.get(`/contact-service/v1/uploads/${encodeURIComponent(of)}.csv`),
    fill: (count) =>
      fill('portico.uploads', `${ofAccount()} AND size_bytes IS NULL`, count, {
        ...uuid,
        // The key ends with the id of the file.
        storage_key: `regexp_replace(storage_key, '[0-9a-f-]{36}', gen_random_uuid()::text)`,
        created_at: 'now()',
      }),
  },
  senders: {
    create: (of) => member.post('/contact-service/v1/senders', { address: `${of.replaceAll(' ', '.')}@acme.example` }),
    fill: (count) =>
      fill('portico.mail_senders', ofAccount(), count, {
        ...uuid,
        address: `'a' || n || '@acme.example'`,
        secret_hash: 'NULL::text',
      }),
  },
  identities: {
    create: (of) => member.post('/identity/v1/identities', { serviceName: of, groups: [powerUsers] }),
    fill: (count) =>
      fill('portico.identities', `${ofAccount()} AND service_name IS NOT NULL`, count - 1, {
        ...uuid,
        service_name: `'copy ' || n`,
        service_name_key: `'copy ' || n`,
      }),
  },
  impersonations: {
    create: () => member.get('/identity/v1/login/203.0.113.7/3600'),
    fill: (count) => fill('portico.impersonations', ofAccount(), count, uuid),
  },
  policies: {
    create: (of) => admin.post('/identity/v1/policies', { name: of, actions: ['contact-service::offers::get'] }),
    fill: (count) => fill('portico.policies', 'account_id IS NULL', count, { ...uuid, ...name }),
    isGlobal: true,
  },
  groups: {
    create: (of) => admin.post('/identity/v1/groups', { name: of, policies: [policy._id] }),
    fill: (count) => fill('portico.groups', 'account_id IS NULL', count, { ...uuid, ...name }),
    isGlobal: true,
  },
}

test.each(Object.entries(things) as [Tested, Limited][])(
  '%s have a limit that concurrent requests cannot exceed, and an account beyond it keeps working',
  async (thing, { create, fill: fillUp, isGlobal = false }) => {
    const isMade = ({ status }: Answer): boolean => status < 300
    const first = await create('The first')
    expect(first).toSatisfy(isMade)
    await fillUp(accountLimits[thing].most - 1)
    const replies = await Promise.all(['one', 'two', 'three'].map((each) => create(`At once ${each}`)))
    expect(replies.filter(isMade)).toHaveLength(1)
    const refused = { error: { code: 'limit_reached', message: limitInWords(thing, isGlobal) } }
    for (const reply of replies.filter((each) => !isMade(each))) {
      expect(reply).toMatchObject({ status: 409, body: refused })
    }
    await fillUp(accountLimits[thing].most + 5)
    expect(await create('One too many')).toMatchObject({ status: 409, body: refused })
  },
)
