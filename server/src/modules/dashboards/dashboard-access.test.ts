import type { Dashboard } from '@portico/contract/dashboards'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { grant, identityOf, linkOf, memberWith, program } from '#test/resources/access.ts'
import {
  createDashboard,
  dashboardsPath as path,
  draftOf,
  inAccounts,
  refused,
  saveDashboard,
} from '#test/resources/dashboards.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

describe('permissions', () => {
  test('a caller with only the right to see can see dashboards but not change them', async () => {
    const { _id } = await createDashboard(member, { sharedWith: inAccounts(member.account) })
    const reader = await portal.member(member.account, 'bi::dashboards::get')
    const [seen] = (await reader.get(path)).json<Dashboard[]>()
    expect(seen).toMatchObject({ author: member.email, isAuthor: false, mayTakeOver: false })
    expect(seen).not.toHaveProperty('sharedWith')
    const not = refused(403, 'not_allowed')
    expect(await reader.post(path, draftOf(reader))).toMatchObject(not)
    expect(await saveDashboard(reader, _id)).toMatchObject(not)
    expect(await reader.delete(`${path}/${_id}`)).toMatchObject(not)
    expect(await reader.post(`${path}/${_id}/author`)).toMatchObject(not)
  })

  test('a caller without the right to see gets nothing', async () => {
    const other = await portal.member(member.account, 'contact-service::offers::get')
    expect(await other.get(path)).toMatchObject(refused(403, 'not_allowed'))
  })

  test('only the author can save and delete a dashboard, not even a power user', async () => {
    const { _id } = await createDashboard(member, { sharedWith: inAccounts(member.account) })
    await createDashboard(member)
    const other = await portal.member(member.account)
    const not = refused(403, 'not_author', { message: 'Only the author of this dashboard may do this.' })
    expect(await saveDashboard(other, _id)).toMatchObject(not)
    expect(await other.delete(`${path}/${_id}`)).toMatchObject(not)
    expect(await other.post(`${path}/${_id}/versions/1/restore`)).toMatchObject(not)
    expect(await other.get(`${path}/${_id}/versions`)).toMatchObject(not)
    expect(await other.get(`${path}/${_id}/versions/1`)).toMatchObject(not)
    expect((await member.get(`${path}/${_id}`)).body).toMatchObject({ version: 1, name: 'Overview' })
  })

  test('creating and saving also requires the right to read contacts', async () => {
    const actions = ['bi::dashboards::get', 'bi::dashboards::post', 'bi::dashboards::put']
    const author = await memberWith(portal, member.account, { actions })
    const not = refused(403, 'not_allowed', { details: { action: 'contact-service::offers::get' } })
    expect(await author.post(path, draftOf(author))).toMatchObject(not)
    const right = await grant(portal, await identityOf(portal, author), { actions: ['contact-service::offers::get'] })
    const { _id } = await createDashboard(author)
    await portal.parts.database.pool.query("UPDATE portico.policies SET actions = '{}' WHERE id = $1", [right])
    expect(await saveDashboard(author, _id)).toMatchObject(not)
    expect(await author.post(`${path}/${_id}/versions/1/restore`)).toMatchObject(not)
    expect((await author.get(`${path}/${_id}`)).body).toMatchObject({ version: 1 })
  })

  test('the last dashboard that the author sees cannot be deleted', async () => {
    const { _id } = await createDashboard(member)
    const other = await portal.member(member.account)
    await createDashboard(other)
    expect(await member.delete(`${path}/${_id}`)).toMatchObject(refused(409, 'only_dashboard'))
    await saveDashboard(other, (await createDashboard(other))._id, { sharedWith: inAccounts(member.account) })
    expect(await member.delete(`${path}/${_id}`)).toMatchObject({ status: 204 })
  })

  test('an API credential acts as the person of its identity', async () => {
    const credential = await program(portal, member)
    const made = await credential.post(path, draftOf(member, { name: 'Made by a program' }))
    expect(made).toMatchObject({ status: 201, body: { author: member.email, isAuthor: true } })
    expect((await member.get(path)).body).toMatchObject([{ name: 'Made by a program', isAuthor: true }])
  })

  test('an impersonation link sees dashboards as its creator within its rights, and cannot save any', async () => {
    const link = { ...member, ...portal.holder(await linkOf(member)) }
    const { _id } = await createDashboard(member)
    expect((await link.get(path)).json<Dashboard[]>()).toMatchObject([{ _id, author: member.email }])
    const message = 'Impersonation links cannot save dashboards. Sign in to do this.'
    const not = refused(403, 'not_allowed', { message })
    expect(await link.post(path, draftOf(link))).toMatchObject(not)
    expect(await saveDashboard(link, _id)).toMatchObject(not)
    expect(await link.post(`${path}/${_id}/versions/1/restore`)).toMatchObject(not)
    const narrow = portal.holder(await linkOf(member, { policies: ['contact-dashboards-view'] }))
    expect((await narrow.get(path)).json<Dashboard[]>()).toHaveLength(1)
    expect(await narrow.delete(`${path}/${_id}`)).toMatchObject(refused(403, 'not_allowed'))
  })
})
