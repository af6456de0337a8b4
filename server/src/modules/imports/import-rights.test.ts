import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { emailImportFigures, runImport } from '#imports'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import { addCredential, identityOf, limit, linkOf, memberWith, setConditions } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { removeIdentity } from '#test/resources/dashboards.ts'
import { anImport, contactsOf, submit, upload } from '#test/resources/imports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The rights of queued work are checked again before it begins: those of the identity, API credential or impersonation
// link that requested it, and by the same request.

let portal: TestPortal
let owner: Member
/** Requests the work, and loses the right to it. */
let maker: Member

beforeAll(async () => {
  // No worker in this process: the tests run the jobs after the right is lost.
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  owner = await portal.member(await portal.account())
  await addContacts(portal.parts.database, owner.account, { Name: 'string', City: 'string' }, [
    { Name: 'Ada', City: 'Bern' },
  ])
  maker = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
})

const imports = '/contact-service/v1/imports'
const file = 'Name,City\nEve,Rome\n'
const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const never = () => new AbortController().signal

const ruleOf = async ({ email }: Member) =>
  query(
    `UPDATE portico.identities SET row_rule = $2 WHERE person_id = (SELECT id FROM portico.persons WHERE email = $1)`,
    email,
    JSON.stringify([{ $match: { City: 'Bern' } }]),
  )
const requireTwoFactor = ({ account }: Member) =>
  query('UPDATE portico.accounts SET requires_two_factor = true WHERE id = $1', account)

/** Ways to lose the right to change contacts, and the reason for users. */
const losses: [what: string, lose: (maker: Member) => Promise<unknown>, reason: string][] = [
  ['the identity is removed', (by) => removeIdentity(portal, by), 'no longer has access'],
  [
    'the identity is disabled',
    async (by) => limit(portal, await identityOf(portal, by), { isDisabled: true }),
    'is disabled',
  ],
  [
    'the policy no longer has the action',
    (by) => query(`UPDATE portico.policies SET actions = '{*::*::get}' WHERE account_id = $1`, by.account),
    'no longer allow it',
  ],
  ['a second factor is required', requireTwoFactor, 'has to set up two-factor first'],
]

async function runImportOf(by: Client, id: string, signal = never()): Promise<Import> {
  const { database, storage, log, jobs } = portal.parts
  const config = portal.config
  const deps = {
    database,
    storage,
    log,
    onCompleted: async () => {},
    onRejected: (tx: typeof database.db, account: number, row: Parameters<typeof emailImportFigures>[2]) =>
      emailImportFigures({ db: tx, jobs, config }, account, row),
  }
  await runImport(deps, owner.account, Number(id), signal)
  return (await by.get(`${imports}/${id}`)).json<Import>()
}

const namesIn = async (by: Member) => (await contactsOf(by)).map(({ Name }) => Name)

/** The texts of the emails about an import. */
async function emailsAbout(id: string): Promise<string[]> {
  const { rows } = await query(
    `SELECT settings FROM account_${owner.account}.deliveries WHERE subject_kind = 'import' AND subject_id = $1`,
    id,
  )
  return rows.map((row: object) => JSON.stringify(row))
}

describe('a waiting import', () => {
  const rejected = (reason: string) => ({
    status: 'rejected',
    processedRecords: 0,
    recoveryError: expect.stringContaining(reason),
  })
  const submitBy = async (by: Client, changes = {}): Promise<string> => {
    await upload(portal, owner, 'contacts.csv', file)
    const answer = await by.post(imports, anImport(changes))
    expect(answer).toMatchObject({ status: 201 })
    return answer.json<Import>()._id
  }

  test.each(losses)('is rejected with the reason, also by email, once %s', async (_what, lose, reason) => {
    const { _id } = await submit(portal, maker, file, { notificationEmails: ['ops@example.com'] })
    await lose(maker)
    await query('UPDATE portico.persons SET two_factor_since = now() WHERE email = $1', owner.email)
    expect(await runImportOf(owner, _id)).toMatchObject(rejected(reason))
    expect(await namesIn(owner)).toEqual(['Ada'])
    expect(await emailsAbout(_id)).toEqual([expect.stringContaining(reason)])
  })

  test('is checked against the settings it was submitted with', async () => {
    const { _id } = await submit(portal, maker, file, { name: 'Of partners' })
    const other = await submit(portal, maker, file, { name: 'Of our own' })
    await setConditions(portal, maker, ['body::name::nct::partners'])
    expect(await runImportOf(owner, _id)).toMatchObject(rejected('no longer allow it'))
    expect(await runImportOf(owner, other._id)).toMatchObject({ status: 'completed', processedRecords: 1 })
  })

  test('is rejected once its identity may see only some contacts', async () => {
    const { _id } = await submit(portal, maker, file)
    await ruleOf(maker)
    expect(await runImportOf(owner, _id)).toMatchObject(rejected('may no longer see all'))
    expect(await namesIn(owner)).toEqual(['Ada'])
  })

  test('is rejected once its API credential or impersonation link is no longer valid', async () => {
    const { authorization, accessKey } = await addCredential(portal, await identityOf(portal, maker))
    const link = portal.holder(await linkOf(maker))
    const [first, second] = [await submitBy(portal.asking({ authorization })), await submitBy(link)]
    const last = await submitBy(portal.asking({ authorization }))
    await query('UPDATE portico.impersonations SET revoked_at = now() WHERE account_id = $1', owner.account)
    expect(await runImportOf(owner, first)).toMatchObject({ status: 'completed' })
    expect(await runImportOf(owner, second)).toMatchObject(rejected('no longer valid'))
    await query('DELETE FROM portico.api_credentials WHERE access_key = $1', accessKey)
    expect(await runImportOf(owner, last)).toMatchObject(rejected('no longer works'))
  })

  test('from an earlier release is checked by what was stored, and one of the portal itself is not checked', async () => {
    const [kept, lost] = [await submit(portal, owner, file), await submit(portal, maker, file)]
    const own = await submit(portal, maker, file)
    await query(`UPDATE account_${owner.account}.imports SET acts_as = NULL`)
    await query(`UPDATE account_${owner.account}.imports SET holder = NULL WHERE id = $1`, own._id)
    await removeIdentity(portal, maker)
    expect(await runImportOf(owner, lost._id)).toMatchObject(rejected('no longer has access'))
    expect(await runImportOf(owner, kept._id)).toMatchObject({ status: 'completed' })
    expect(await runImportOf(owner, own._id)).toMatchObject({ status: 'completed' })
  })

  test('depends on the one identity that sees all contacts; others of the same person do not replace it', async () => {
    const both = await portal.member(owner.account)
    const parent = await portal.account()
    await query('UPDATE portico.accounts SET parent_id = $2 WHERE id = $1', owner.account, parent)
    await query(
      `INSERT INTO portico.identities (id, person_id, account_id, accepted_at, access_to_all_sub_accounts, row_rule)
       SELECT gen_random_uuid(), id, $2, now(), true, $3 FROM portico.persons WHERE email = $1`,
      both.email,
      parent,
      JSON.stringify([{ $match: { City: 'Bern' } }]),
    )
    const { _id } = await submit(portal, both, file)
    await removeIdentity(portal, both)
    expect(await runImportOf(owner, _id)).toMatchObject(rejected('no longer has access'))
  })
})

test('an import resumed after its worker stopped is checked again, and keeps and counts loaded rows', async () => {
  // An account without earlier contacts.
  owner = await portal.member(await portal.account())
  maker = await portal.member(owner.account)
  const rows = 200_000
  const withKeys = { generatePURL: true, dedupHashMatching: true, purlColumns: ['Name'], dedupColumns: ['Name'] }
  const lines = Array.from({ length: rows }, (_, at) => `Person ${at},City ${at % 90}\n`).join('')
  const { _id } = await submit(portal, maker, `Name,City\n${lines}`, withKeys)
  const stop = new AbortController()
  const stopped = runImportOf(owner, _id, stop.signal).catch((error: unknown) => error)
  const done = async () => (await owner.get(`${imports}/${_id}`)).json<Import>().processedRecords
  await vi.waitUntil(async () => (await done()) > 0, { timeout: 50_000, interval: 5 })
  stop.abort()
  expect(await stopped).toBeInstanceOf(JobInterrupted)
  const kept = await done()
  expect(kept).toBeLessThan(rows)
  await removeIdentity(portal, maker)
  const rejected = await runImportOf(owner, _id)
  expect(rejected).toMatchObject({ status: 'rejected', processedRecords: kept, createdRecords: kept })
  expect(rejected.recoveryError).toMatch(/no longer has access.* What was imported before stays: [\d,]+ rows\.$/)
  const schema = `account_${owner.account}`
  const { rows: found } = await query(
    `SELECT (SELECT count(*)::int FROM ${schema}.contacts WHERE import_id = $1) AS contacts,
       (SELECT count(*)::int FROM ${schema}.contact_keys) AS keys,
       (SELECT count(*)::int FROM pg_tables WHERE schemaname = $2 AND tablename LIKE 'stage%') AS stages`,
    _id,
    schema,
  )
  expect(found).toEqual([{ contacts: kept, keys: kept, stages: 0 }])
})
