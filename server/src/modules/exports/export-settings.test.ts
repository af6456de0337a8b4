import type { NewExport } from '@portico/contract/exports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runExport } from '#exports'
import { addContacts } from '#test/resources/contacts.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { accountName, logOf } from '#test/kit/administration.ts'
import { createExport, downloadExport, exportDraft } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/configuration/exports'
const [on, off] = [{ guardFormulas: true }, { guardFormulas: false }]

let portal: TestPortal
let powerUser: Member

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
  await addContacts(portal.parts.database, powerUser.account, { '=Note': 'string' }, [{ '=Note': '=1+1' }])
})
afterAll(() => portal.close())

async function fileOf(more: Partial<NewExport> = {}): Promise<string> {
  const { _id } = await createExport(powerUser, exportDraft(['=Note'], more))
  await runExport(portal.parts, powerUser.account, _id, new AbortController().signal)
  return (await downloadExport(portal, powerUser, `${_id}.csv`)).text
}

test('formulas are guarded unless an administrator turns the guard off', async () => {
  expect(await powerUser.get(path)).toMatchObject({ status: 200, body: on })
  expect(await fileOf()).toBe(`'=Note\n'=1+1\n`)
  expect(await powerUser.put(path, off)).toMatchObject({ status: 200, body: off })
  expect((await powerUser.get(path)).body).toEqual({ ...off, version: 2 })
  expect(await fileOf()).toBe(`=Note\n=1+1\n`)
  expect((await powerUser.put(path, on)).body).toEqual({ ...on, version: 3 })
  expect(await fileOf()).toBe(`'=Note\n'=1+1\n`)
  const log = await logOf(portal, await accountName(portal, powerUser.account))
  expect(log.slice(-2)).toMatchObject([
    { actor: powerUser.email, action: 'export settings changed', details: { old: on, new: off } },
    { action: 'export settings changed', details: { old: off, new: on } },
  ])
})

test('the setting is readable with the right to list exports and writable by administrators, per account', async () => {
  await powerUser.put(path, off)
  const reader = await portal.member(powerUser.account, 'contact-service::exports::get')
  const other = await portal.member(powerUser.account, 'contact-service::imports::get')
  const stranger = await portal.member(await portal.account())
  expect(await reader.get(path)).toMatchObject({ status: 200, body: off })
  expect(await reader.put(path, on)).toMatchObject({ status: 403 })
  expect(await other.get(path)).toMatchObject({ status: 403 })
  expect((await stranger.get(path)).body).toEqual({ ...on, version: 1 })
})

test.each([
  [{}, 'guardFormulas'],
  [{ guardFormulas: 'no' }, 'guardFormulas'],
  [{ ...on, colour: 'red' }, 'colour'],
])('%j is refused', async (wrong, field) => {
  expect(fieldProblems(await powerUser.put(path, wrong))).toContainEqual(expect.objectContaining({ field }))
})
