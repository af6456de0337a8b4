import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityOf, memberWith, reachSubAccounts } from '#test/resources/access.ts'
import { setRowRule } from '#test/resources/row-rules.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A new name of a field gives and takes no rights.

const service = '/contact-service/v1'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const ownerOf = async () => {
  const owner = await portal.member(await portal.account())
  await importFile(portal, owner, 'Email,Name,Salary\na@x,Ann,10\nb@x,Bob,20\n')
  return owner
}
const rename = async (member: Member, owner: Member, from: string, to: string) => {
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  return member.put(`${service}/fields/${fields.find(({ name }) => name === from)?._id}`, { name: to })
}
const conditionsOf = async ({ account }: Member): Promise<string[]> => {
  const { rows } = await portal.parts.database.pool.query<{ conditions: string[] }>(
    'SELECT conditions FROM portico.policies WHERE account_id = $1 AND conditions <> $2 ORDER BY name',
    [account, []],
  )
  return rows.flatMap(({ conditions }) => conditions)
}
const exportOf = (member: Member, name: string, ...exportFields: string[]) =>
  member.post(`${service}/exports`, { name, delimiter: 'csv', exportFields })

test('a condition on another value with the name of the field is unchanged', async () => {
  const owner = await ownerOf()
  const actions = ['contact-service::exports::post']
  const limited = await memberWith(portal, owner.account, { actions, conditions: ['body::name::neq::Payroll'] })
  expect(await exportOf(limited, 'Payroll', 'Email')).toMatchObject({ status: 403 })
  expect(await rename(owner, owner, 'Name', 'Full name')).toMatchObject({ status: 200 })
  expect(await conditionsOf(owner)).toEqual(['body::name::neq::Payroll'])
  expect(await exportOf(limited, 'Payroll', 'Email')).toMatchObject({ status: 403 })
})

test.each([
  ['contact-service::exports::post', 'body::exportFields::sw::Public', 'Public Salary'],
  ['contact-service::offers::put', 'body::changes::nct::Salary', 'Pay'],
  ['contact-service::offers::post', 'body::values::nct::Salary', 'Pay'],
  ['contact-service::exports::post', 'body::exportFields::nin::Secret', 'Secret'],
])('a policy for %s with %s blocks a rename to %s', async (action, condition, to) => {
  const owner = await ownerOf()
  const policies = [
    { actions: [action], conditions: [condition] },
    { actions: ['contact-service::fields::*', 'contact-service::offers::get'] },
  ]
  const limited = await memberWith(portal, owner.account, ...policies)
  const refused = await rename(limited, owner, 'Salary', to)
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
  // Names of policies are for administrators.
  expect(JSON.stringify(refused.body)).not.toContain('Given')
  expect(JSON.stringify(refused.body)).toContain('A policy would mean something else')
  expect(JSON.stringify((await rename(owner, owner, 'Salary', to)).body)).toMatch(/The policy \\"Given \d+\\" would/)
  expect(await conditionsOf(owner)).toEqual([condition])
})

test('a condition on an edit is updated with the field, even to a name with a dot', async () => {
  const owner = await ownerOf()
  const conditions = ['body::changes.Salary.to::neq::0', 'body::changes::nct::Name']
  await memberWith(portal, owner.account, { actions: ['contact-service::offers::put'], conditions })
  expect(await rename(owner, owner, 'Salary', 'Net.Pay')).toMatchObject({ status: 200 })
  expect(await conditionsOf(owner)).toEqual(['body::changes.Net.Pay.to::neq::0', conditions[1]])
  expect(await rename(owner, owner, 'Net.Pay', 'Salary')).toMatchObject({ status: 200 })
  expect(await conditionsOf(owner)).toEqual(conditions)
})

test('a field cannot get the name of a missing field in a row rule', async () => {
  const owner = await ownerOf()
  const limited = await portal.member(owner.account)
  await portal.parts.database.pool.query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', [
    await identityOf(portal, limited),
    JSON.stringify([{ $match: { Zone: 'Ann' } }]),
  ])
  expect(await rename(owner, owner, 'Name', 'Zone')).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
  expect(await contactsOf(owner)).toHaveLength(2)
})

test('a field cannot be renamed or deleted while a row rule of the parent account or a global one names it', async () => {
  const parent = await portal.account()
  const above = await portal.member(parent)
  const child = await portal.member(await portal.account(undefined, parent))
  await importFile(portal, child, 'Email,Name,City\na@x,Ann,Bern\nb@x,Bob,Lyon\n')
  await reachSubAccounts(portal, above)
  const identity = await identityOf(portal, above)
  await setRowRule(portal, identity, [{ $match: { City: { $ne: 'Lyon' } } }])
  const { pool } = portal.parts.database
  for (const owner of [parent, null]) {
    await pool.query('UPDATE portico.identities SET account_id = $2 WHERE id = $1', [identity, owner])
    const city = (await child.get(`${service}/fields/details`)).json<FieldEntry[]>().find(({ name }) => name === 'City')
    const path = `${service}/fields/${city?._id}`
    const refused = [
      await child.put(path, { name: 'Town' }),
      await rename(child, child, 'Name', 'City'),
      await child.delete(`${path}?uses=0`),
    ]
    for (const answer of refused) expect(answer).toMatchObject({ status: 409 })
    for (const answer of [refused[0], refused[2]])
      expect(answer?.body).toMatchObject({
        error: { code: 'in_use', message: expect.stringContaining('(of another account)') },
      })
    // Whom it limits is not said.
    expect(JSON.stringify(refused)).not.toContain(above.email)
  }
  expect((await contactsOf(child)).map(({ Name }) => Name)).toEqual(['Ann', 'Bob'])
})

test('the account that owns an identity cannot rename a field in its row rule while the rule holds in sub-accounts too', async () => {
  const owner = await ownerOf()
  await portal.account(undefined, owner.account)
  const other = await portal.member(owner.account)
  await setRowRule(portal, await identityOf(portal, other), [{ $match: { Name: 'Ann' } }])
  expect(await rename(owner, owner, 'Name', 'Full name')).toMatchObject({ status: 200 })
  await reachSubAccounts(portal, other)
  expect(await rename(owner, owner, 'Full name', 'Name')).toMatchObject({
    status: 409,
    body: { error: { code: 'in_use', message: expect.stringContaining('counts in other accounts too') } },
  })
})
