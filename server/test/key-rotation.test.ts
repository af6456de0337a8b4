import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KeyRing } from '#platform/keys/key-ring.ts'
import { createSecrets, SecretUnreadable } from '#platform/secrets.ts'
import { requireKeyOfDatabase, resealAll, sealedColumns } from '../src/sealed-columns.ts'
import { codeOf } from '#test/stand-ins/authenticator.ts'
import { addCron } from '#test/resources/crons.ts'
import { createExport, exportDraft } from '#test/resources/exports.ts'
import { type Member, openPortal, startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

const before = 'the secret of the first year, long enough'
const after = 'the secret of the second year, long enough'
const by = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }
const twoFactor = '/identity/v1/profile/two-factor'

let portal: TestPortal
let member: Member
let secret: string
let recoveryCodes: string[]

const run = async (text: string, ...values: unknown[]) => (await portal.parts.database.pool.query(text, values)).rows
const sftp: NotificationInput = {
  type: 'sftp',
  host: '127.0.0.1',
  port: 22,
  user: 'ada',
  password: 'right',
  folder: 'in',
}

beforeAll(async () => {
  portal = await startPortal({ secretKey: [before] })
  await requireKeyOfDatabase(portal.parts.database.db, [before])
  member = await portal.member(await portal.account())
  secret = (await member.post(twoFactor, { password: testPassword })).json<{ secret: string }>().secret
  const confirmed = await member.post(`${twoFactor}/confirmation`, { code: codeOf(secret) })
  recoveryCodes = confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes
  for (let index = 0; index < 3; index++) await createExport(member, exportDraft(['_id'], { notifications: [sftp] }))
  await addCron(member, {
    instruction: { exportFields: ['_id'], delimiter: 'csv', name: 'Nightly export', notifications: [sftp] },
  })
})
afterAll(() => portal.close())

/** Opens a process with these keys on the same database. */
async function withKeys<T>(secretKey: KeyRing, work: (other: TestPortal) => Promise<T>): Promise<T> {
  const { dataDir } = portal.config
  const other = await openPortal(dataDir, portal.parts.database.url, { secretKey })
  try {
    return await work(other)
  } finally {
    await other.close()
  }
}

async function signInWith(other: TestPortal, code: string): Promise<number> {
  await run('UPDATE portico.persons SET two_factor_last_step = 0 WHERE email = $1', member.email)
  await run('DELETE FROM portico.login_failures')
  const { token } = (
    await other.anonymous.post('/identity/v1/login', { email: member.email, password: testPassword })
  ).json<{ token: string }>()
  return (await other.anonymous.post('/identity/v1/login', { token, code })).status
}

async function reseal(keys: KeyRing) {
  const done = []
  for await (const one of resealAll(portal.parts.database.db, keys, by)) done.push(one)
  return done
}

async function sealedValues(): Promise<{ purpose: string; id: string; sealed: string }[]> {
  const accounts = (await run('SELECT id FROM portico.accounts')).map(({ id }: { id: number }) => id)
  const values = []
  for (const { purpose, isOfAccounts, select } of sealedColumns) {
    for (const account of isOfAccounts ? accounts : [null]) {
      const rows = await select(portal.parts.database.db, account, { after: null, limit: 100 })
      values.push(...rows.map((row) => ({ purpose, ...row })))
    }
  }
  return values
}

describe('the list of columns with sealed secrets', () => {
  const root = join(import.meta.dirname, '..')

  test('contains every such column of the schema', () => {
    const schema = readFileSync(join(root, 'schema.sql'), 'utf8')
    const tables = [...schema.matchAll(/^CREATE TABLE :?\w+\.(\w+) \(\n([^;]*)\n\);/gm)]
    const columns = tables.flatMap(([, table, body = '']) =>
      [...body.matchAll(/^ {2}(\w*(?:sealed|two_factor_secret|encrypted)\w*) /gm)].map(
        ([, name]) => `${table}.${name}`,
      ),
    )
    expect(columns.toSorted((one, other) => one.localeCompare(other))).toEqual(
      sealedColumns.map(({ name }) => name).toSorted((one, other) => one.localeCompare(other)),
    )
  })

  test('contains every purpose used in the code', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    const code = sources.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
    const purposes = new Set([...code.matchAll(/createSecrets\([^,()]+, ([^)]+)\)/g)].map(([, purpose]) => purpose))
    // The re-encryption itself, and the function's own declaration.
    purposes.delete('column.purpose')
    purposes.delete('purpose: string')
    const values = new Set([...purposes].map((name) => new RegExp(`const ${name} = '([^']+)'`).exec(code)?.[1] ?? name))
    // Tokens of five minutes, which no column holds.
    values.delete("'passkey challenges'")
    expect(values).toEqual(new Set(sealedColumns.map(({ purpose }) => purpose)))
  })
})

describe('after the secret key has changed', () => {
  test('existing sessions, links, codes and recovery codes work while the old key is configured too', async () => {
    const upload = (await member.get('/contact-service/v1/uploads/a.csv?type=text/csv')).json<{ url: string }>().url
    await withKeys([after, before], async (other) => {
      expect(await other.holder(member.token).get('/contact-service/v1/exports')).toMatchObject({ status: 200 })
      expect((await other.app.inject({ method: 'PUT', url: upload, payload: 'a\n1\n' })).statusCode).toBe(200)
      expect(await signInWith(other, codeOf(secret))).toBe(200)
      expect(await signInWith(other, recoveryCodes[0] ?? '')).toBe(200)
      expect(await signInWith(other, recoveryCodes[0] ?? '')).toBe(401)
    })
    await withKeys([after], async (other) => {
      expect(await other.holder(member.token).get('/contact-service/v1/exports')).toMatchObject({ status: 401 })
    })
  })

  test('new tokens and links use the new key', async () => {
    await withKeys([after, before], async (other) => {
      const token = await other.signIn((await other.member(member.account)).email)
      await withKeys([after], async (later) => {
        expect(await later.holder(token).get('/identity/v1/accounts')).toMatchObject({ status: 200 })
      })
      expect(await portal.holder(token).get('/identity/v1/accounts')).toMatchObject({ status: 401 })
    })
  })

  test('all secrets are encrypted again, even by several commands at once or after an interruption', async () => {
    const unread = await sealedValues()
    expect(new Set(unread.map(({ purpose }) => purpose))).toEqual(new Set(sealedColumns.map(({ purpose }) => purpose)))
    // Stopped after the first column.
    const first = resealAll(portal.parts.database.db, [after, before], by)
    expect((await first.next()).value).toMatchObject({ column: 'persons.two_factor_secret', reEncrypted: 1 })
    await first.return(undefined)

    const [one, other] = await Promise.all([reseal([after, before]), reseal([after, before])])
    const total = [...one, ...other].reduce((sum, { reEncrypted }) => sum + reEncrypted, 0)
    expect(total).toBe(unread.length - 1)
    for (const { purpose, id, sealed } of await sealedValues()) {
      expect(createSecrets(after, purpose).open(sealed, id)).not.toBe('')
      expect(() => createSecrets(before, purpose).open(sealed, id)).toThrow(SecretUnreadable)
    }
    const again = await reseal([after])
    expect(again.map(({ reEncrypted, unreadable }) => reEncrypted + unreadable)).toEqual([0, 0, 0, 0])
    expect(again.reduce((sum, { current }) => sum + current, 0)).toBe(unread.length)
    await withKeys([after], async (later) => {
      expect(await signInWith(later, codeOf(secret))).toBe(200)
      // A hash cannot be computed again without the code.
      expect(await signInWith(later, recoveryCodes[1] ?? '')).toBe(401)
    })
  })

  test('secrets of a lost key are counted and left unchanged', async () => {
    const values = await sealedValues()
    const done = await reseal(['another secret that is also long enough'])
    expect(done.reduce((sum, { unreadable }) => sum + unreadable, 0)).toBe(values.length)
    expect(await sealedValues()).toEqual(values)
  })
})
