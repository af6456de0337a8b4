import type { Field } from '@portico/contract/contacts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { recognizeCodes } from './field-codes.service.ts'
import { fillFieldCodes } from '#migrations/field-codes.ts'

let portal: TestPortal
let member: Member
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  member = await portal.member(await portal.account())
  await importFile(
    portal,
    member,
    [
      'Customer No,Year,Zip,Phone,Revenue,Donor Since,Name',
      '1002345,2022,80202,4155550134,12500.5,2008,Ada',
      '1002346,2023,90210,2125550199,99000,2011,Bob',
      '1002347,2023,10001,3035550111,1234567,1999,Eve',
      '1002348,2024,60601,3125550122,50,2020,Tom',
    ].join('\n'),
    { typeCasting: true },
  )
})
afterAll(() => portal.close())

const formats = async (of: Member = member) =>
  Object.fromEntries(
    (await of.get('/contact-service/v1/fields')).json<Field[]>().map(({ name, format }) => [name, format?.style]),
  )
const codes = { 'Customer No': 'plain', Year: 'plain', Zip: 'plain', Phone: 'plain', 'Donor Since': 'plain' }
const setAll = (hasCodes: boolean) =>
  portal.parts.database.pool.query(`UPDATE account_${member.account}.fields SET has_codes = $1`, [hasCodes])

test('an import gives the plain format to codes, but not to amounts or texts', async () => {
  expect(await formats()).toEqual({ ...codes, Revenue: undefined, Name: undefined })
})

test('a later import of amounts removes the plain format, and one without values keeps it', async () => {
  const other = await portal.member(await portal.account())
  await importFile(portal, other, 'Size,Note\n2001,a\n2002,b\n', { typeCasting: true })
  expect(await formats(other)).toMatchObject({ Size: 'plain' })
  await importFile(portal, other, 'Size,Note\n,c\n', { typeCasting: true })
  expect(await formats(other)).toMatchObject({ Size: 'plain' })
  await importFile(portal, other, 'Size,Note\n12500,d\n', { typeCasting: true })
  expect(await formats(other)).toMatchObject({ Size: undefined })
  expect(await formats()).toMatchObject(codes)
})

test('the migration recognizes codes in existing fields like an import, and both are repeatable', async () => {
  const { db, pool } = portal.parts.database
  await setAll(false)
  const client = await pool.connect()
  try {
    await fillFieldCodes(client, `account_${member.account}`)
    await fillFieldCodes(client, `account_${member.account}`)
  } finally {
    client.release()
  }
  const { rows } = await pool.query(`SELECT name FROM account_${member.account}.fields WHERE has_codes ORDER BY id`)
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(codes))
  await setAll(false)
  await recognizeCodes(db, member.account)
  await recognizeCodes(db, member.account)
  expect(await formats()).toMatchObject({ ...codes, Revenue: undefined })
})
